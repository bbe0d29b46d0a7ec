// Every STATE and LCM_STATE of an OpenNebula VM, and where on its way a VM in it is.

/** Where a VM is on its way, as far as we need to tell states apart. */
export type Phase =
  /** accepted, no host yet */
  | 'waiting'
  /** on a host, not yet (or not again) up */
  | 'booting'
  | 'running'
  /** up, but the front end lost sight of it */
  | 'unseen'
  /** in a state of a later version, of which we know only its number */
  | 'unknown'
  /** switched off, saved or parked by somebody */
  | 'stopped'
  /** a step failed; it stays so until somebody acts */
  | 'broken'
  /** on its way to DONE */
  | 'leaving'
  /** its last step to DONE failed; it can be asked again */
  | 'unclean'
  | 'done';

/** STATE by number; ACTIVE (3) is told by LCM_STATE. 7, FAILED, is of before version 5. */
const STATES: readonly (readonly [string, Phase])[] = [
  ['INIT', 'waiting'],
  ['PENDING', 'waiting'],
  ['HOLD', 'waiting'],
  ['ACTIVE', 'running'],
  ['STOPPED', 'stopped'],
  ['SUSPENDED', 'stopped'],
  ['DONE', 'done'],
  ['FAILED', 'broken'],
  ['POWEROFF', 'stopped'],
  ['UNDEPLOYED', 'stopped'],
  ['CLONING', 'waiting'],
  ['CLONING_FAILURE', 'broken'],
];

/** LCM_STATE by number. */
const LCM_STATES: readonly (readonly [string, Phase])[] = [
  ['LCM_INIT', 'booting'],
  ['PROLOG', 'booting'],
  ['BOOT', 'booting'],
  ['RUNNING', 'running'],
  ['MIGRATE', 'running'],
  ['SAVE_STOP', 'stopped'],
  ['SAVE_SUSPEND', 'stopped'],
  ['SAVE_MIGRATE', 'booting'],
  ['PROLOG_MIGRATE', 'booting'],
  ['PROLOG_RESUME', 'booting'],
  ['EPILOG_STOP', 'stopped'], // 10
  ['EPILOG', 'leaving'],
  ['SHUTDOWN', 'leaving'],
  ['CANCEL', 'leaving'],
  ['FAILURE', 'broken'],
  ['CLEANUP_RESUBMIT', 'booting'],
  ['UNKNOWN', 'unseen'],
  ['HOTPLUG', 'running'],
  ['SHUTDOWN_POWEROFF', 'stopped'],
  ['BOOT_UNKNOWN', 'booting'],
  ['BOOT_POWEROFF', 'booting'], // 20
  ['BOOT_SUSPENDED', 'booting'],
  ['BOOT_STOPPED', 'booting'],
  ['CLEANUP_DELETE', 'leaving'],
  ['HOTPLUG_SNAPSHOT', 'running'],
  ['HOTPLUG_NIC', 'running'],
  ['HOTPLUG_SAVEAS', 'running'],
  ['HOTPLUG_SAVEAS_POWEROFF', 'stopped'],
  ['HOTPLUG_SAVEAS_SUSPENDED', 'stopped'],
  ['SHUTDOWN_UNDEPLOY', 'stopped'],
  ['EPILOG_UNDEPLOY', 'stopped'], // 30
  ['PROLOG_UNDEPLOY', 'booting'],
  ['BOOT_UNDEPLOY', 'booting'],
  ['HOTPLUG_PROLOG_POWEROFF', 'stopped'],
  ['HOTPLUG_EPILOG_POWEROFF', 'stopped'],
  ['BOOT_MIGRATE', 'booting'],
  ['BOOT_FAILURE', 'broken'],
  ['BOOT_MIGRATE_FAILURE', 'broken'],
  ['PROLOG_MIGRATE_FAILURE', 'broken'],
  ['PROLOG_FAILURE', 'broken'],
  ['EPILOG_FAILURE', 'unclean'], // 40
  ['EPILOG_STOP_FAILURE', 'broken'],
  ['EPILOG_UNDEPLOY_FAILURE', 'broken'],
  ['PROLOG_MIGRATE_POWEROFF', 'stopped'],
  ['PROLOG_MIGRATE_POWEROFF_FAILURE', 'broken'],
  ['PROLOG_MIGRATE_SUSPEND', 'stopped'],
  ['PROLOG_MIGRATE_SUSPEND_FAILURE', 'broken'],
  ['BOOT_UNDEPLOY_FAILURE', 'broken'],
  ['BOOT_STOPPED_FAILURE', 'broken'],
  ['PROLOG_RESUME_FAILURE', 'broken'],
  ['PROLOG_UNDEPLOY_FAILURE', 'broken'], // 50
  ['DISK_SNAPSHOT_POWEROFF', 'stopped'],
  ['DISK_SNAPSHOT_REVERT_POWEROFF', 'stopped'],
  ['DISK_SNAPSHOT_DELETE_POWEROFF', 'stopped'],
  ['DISK_SNAPSHOT_SUSPENDED', 'stopped'],
  ['DISK_SNAPSHOT_REVERT_SUSPENDED', 'stopped'],
  ['DISK_SNAPSHOT_DELETE_SUSPENDED', 'stopped'],
  ['DISK_SNAPSHOT', 'running'],
  ['DISK_SNAPSHOT_REVERT', 'running'],
  ['DISK_SNAPSHOT_DELETE', 'running'],
  ['PROLOG_MIGRATE_UNKNOWN', 'booting'], // 60
  ['PROLOG_MIGRATE_UNKNOWN_FAILURE', 'broken'],
  ['DISK_RESIZE', 'running'],
  ['DISK_RESIZE_POWEROFF', 'stopped'],
  ['DISK_RESIZE_UNDEPLOYED', 'stopped'],
  ['HOTPLUG_NIC_POWEROFF', 'stopped'],
  ['HOTPLUG_RESIZE', 'running'],
  ['HOTPLUG_SAVEAS_UNDEPLOYED', 'stopped'],
  ['HOTPLUG_SAVEAS_STOPPED', 'stopped'],
  ['BACKUP', 'running'],
  ['BACKUP_POWEROFF', 'stopped'], // 70
  ['RESTORE', 'stopped'],
];

/** A number we do not know is a later version's: such a VM is left alone, the manager's health check judges it. */
export function stateOf(state: number, lcm: number): { readonly name: string; readonly phase: Phase } {
  const [name, phase] = (state === 3 ? LCM_STATES[lcm] : STATES[state]) ?? [`state ${state}/${lcm}`, 'unknown'];
  return { name, phase };
}

/** Of a state's name, as `stateOf` gives it. */
export const phaseNamed = (state: string): Phase | undefined =>
  [...STATES, ...LCM_STATES].find(([name]) => name === state)?.[1];
