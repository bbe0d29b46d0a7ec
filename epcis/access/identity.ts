// Who a client is. Types, and the roles there are.

export const ROLES = ['capture', 'query', 'subscribe', 'administer'] as const;

export type Role = (typeof ROLES)[number];

export const isRole = (role: unknown): role is Role => ROLES.includes(role as Role);

export interface ClientIdentity {
  /** The name under which its rules, queries, subscriptions and capture jobs stand. */
  readonly client: string;
  readonly groups: readonly string[];
  readonly roles: readonly Role[];
  /** Who vouched for it, and what for: of an OpenID Connect token or a certificate. */
  readonly issuer?: string;
  readonly claims?: Readonly<Record<string, string | readonly string[]>>;
  readonly tenant?: string;
  /** Limits that a VM counts; undefined: as many as it likes. */
  readonly eventsPerSecond?: number;
  readonly subscriptions?: number;
}
