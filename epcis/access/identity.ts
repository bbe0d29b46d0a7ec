// Who a client is. Types, and the roles there are.

export const CLIENT_ROLES = ['capture', 'query', 'subscribe', 'administer'] as const;

export type ClientRole = (typeof CLIENT_ROLES)[number];

export const isClientRole = (role: unknown): role is ClientRole => CLIENT_ROLES.includes(role as ClientRole);

export interface ClientIdentity {
  /** The name under which its rules, queries, subscriptions and capture jobs stand. */
  readonly client: string;
  readonly groups: readonly string[];
  readonly roles: readonly ClientRole[];
  /** Who vouched for it, and what for: of an OpenID Connect token or a certificate. */
  readonly issuer?: string;
  readonly claims?: Readonly<Record<string, string | readonly string[]>>;
  readonly tenant?: string;
  /** Limits that a VM counts; undefined: as many as it likes. */
  readonly eventsPerSecond?: number;
  readonly subscriptions?: number;
}
