#!/bin/bash
# ec2.setup for a stock Debian image: what a VM does first, at its first boot. Copy it and set where your archive of
# mmeliot is: `tar -czf mmeliot.tar.gz -C FOLDER .`, with FOLDER as install-vm.sh wants it, at an address that the VMs may read.
MMELIOT_ARCHIVE=${MMELIOT_ARCHIVE:-https://example.org/mmeliot.tar.gz}

# Debian's image has no curl; Python it has, for cloud-init.
mkdir -p /opt/mmeliot
python3 - "$MMELIOT_ARCHIVE" <<'PYTHON' | tar -xz -C /opt/mmeliot
import shutil, sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=300) as answer:
    shutil.copyfileobj(answer, sys.stdout.buffer)
PYTHON
bash /opt/mmeliot/ec2/templates/install-vm.sh /opt/mmeliot
