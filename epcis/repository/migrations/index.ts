import { events } from './001-events.ts';
import { work } from './002-work.ts';
import { feedOrder } from './003-feed-order.ts';
import { access } from './004-access.ts';
import { classes } from './005-classes.ts';
import { steps } from './006-steps.ts';
import { parts } from './007-parts.ts';
import { accounts } from './008-accounts.ts';
import { jobsOfAClient } from './009-jobs-of-a-client.ts';
import type { Migration } from './migration.ts';

/** Every step of the schema, in order. A step that was released is never changed: a change is a further step. */
export const migrations: readonly Migration[] = [
  ...[events, work, feedOrder, access, classes, steps, parts, accounts, jobsOfAClient],
];
