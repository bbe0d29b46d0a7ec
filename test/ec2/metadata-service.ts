// The emulator's metadata service where a real instance has it, for boot-in-namespace.sh.
import { startMetadata } from '../../ec2/emulator/metadata.ts';

const view = { id: 'i-0123456789abcdef0', type: 'm3.medium', zone: 'us-east-1a', spot: true, userData: '' };
await startMetadata({ ...view, notice: () => undefined }, '169.254.169.254', 80);
