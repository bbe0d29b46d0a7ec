#!/bin/sh
exec /usr/lib/mmeliot/node /usr/lib/mmeliot/bin/mmeliot.js "$@"
