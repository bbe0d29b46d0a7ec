// User data: the script that a new instance runs once. It writes who the VM is, and starts the service.
import { MmeliotError } from '../../src/errors.ts';

/** AWS's limit, before base64. */
const MOST_BYTES = 16_384;

/** An environment file as systemd reads it: inside double quotes, \ escapes " \ ` and $. */
const environmentFile = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}="${value.replace(/["\\`$]/g, '\\$&')}"\n`)
    .join('');

/** `setup` is what an instance of an image without mmeliot does first. */
export function userData(variables: Readonly<Record<string, string>>, setup = ''): string {
  const environment = environmentFile(variables);
  let end = 'END-OF-ENVIRONMENT';
  while (environment.split('\n').includes(end)) end += '-';
  const script = `#!/bin/bash
# A VM of an mmeliot fleet: made by the manager, run once by cloud-init.
set -euo pipefail
${setup}
mkdir -p /etc/mmeliot
(umask 077 && cat >/etc/mmeliot/vm.env) <<'${end}'
${environment}${end}
systemctl daemon-reload
systemctl enable mmeliot-vm.service
systemctl restart mmeliot-vm.service
`;
  const bytes = Buffer.byteLength(script);
  if (bytes > MOST_BYTES)
    throw new MmeliotError(
      'CONFIG_INVALID',
      `The user data of a VM takes ${bytes} bytes and AWS allows ${MOST_BYTES}: let ec2.setup fetch a longer script, or put what it does into an image.`,
    );
  return script;
}
