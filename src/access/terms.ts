// What a client may take of the gateway.

export interface Terms {
  /** None: as many as it likes. */
  readonly requestsPerSecond?: number;
  /** The class that its requests wait in, whatever they ask. */
  readonly requestClass?: string;
}
