// What a client may take.

export interface Terms {
  /** None: as many as it likes. */
  readonly requestsPerSecond?: number;
  /** Each VM counts them for itself, and gateways refuse nothing for them. */
  readonly eventsPerSecond?: number;
  /** Open ones. */
  readonly subscriptions?: number;
  /** The class that its requests wait in, whatever they ask. */
  readonly requestClass?: string;
}
