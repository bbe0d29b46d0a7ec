// What an operator can set about background work. Everything has a default.
export interface WorkOptions {
  /** How often to look for work, ms. Default 500. */
  readonly pollMs: number;
  /** How long a silent VM keeps what it took, s. Default 30. */
  readonly leaseSeconds: number;
  /** Capture jobs at a time in this process. Default 2. */
  readonly captures: number;
  /** Subscription runs at a time in this process: they mostly wait for receivers. Default 16. */
  readonly deliveries: number;
  /** Tries before a capture job is given up. Default 10. */
  readonly maxAttempts: number;
  /** Events in one document to a receiver. Default 500. */
  readonly pageSize: number;
  /** Where subscriptions may send to; see TargetOptions. Default: nowhere, so that only WebSockets can subscribe. */
  readonly allowedTargets: readonly string[];
  /** How long a receiver may take to answer, s. Default 30. */
  readonly receiverTimeoutSeconds: number;
  /** SOAP: trigger URIs that are known. Default: any absolute URI; all mean "when something matching is captured". */
  readonly triggers?: readonly string[];
  /** Longest pause before a receiver that is down is tried again, s. Default 300. */
  readonly maxBackOffSeconds: number;
  /** How long the status of a finished job is kept, s. Default 7 days. */
  readonly keepJobsSeconds: number;
  /** How long `close` waits for work at hand before it gives it back, s. Default 10. */
  readonly closeSeconds: number;
}

export const WORK_DEFAULTS: WorkOptions = {
  pollMs: 500,
  leaseSeconds: 30,
  captures: 2,
  deliveries: 16,
  maxAttempts: 10,
  pageSize: 500,
  allowedTargets: [],
  receiverTimeoutSeconds: 30,
  maxBackOffSeconds: 300,
  keepJobsSeconds: 7 * 24 * 3600,
  closeSeconds: 10,
};
