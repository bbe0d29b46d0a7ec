// What HAProxy does about clients that abandon request after request; on one connection by HTTP/2 that may be tens of thousands a second.
import {
  ABANDONED_PER_SECOND,
  ABANDONED_SAVED_MS,
  REFUSED_PER_SECOND,
  TOO_MANY_ABANDONED,
} from '../../core/abandoned.ts';
import { problem } from './problem.ts';

/** Its counters in the table of requests, behind that of WebSockets. */
const ABANDONED = 1;
const REFUSED = 2;
const ENDED = 3;

/** In the table's period. */
const IN_A_PERIOD = ABANDONED_SAVED_MS / 1_000;
const TOO_MANY = `ge ${ABANDONED_PER_SECOND * IN_A_PERIOD}`;
const FAR_TOO_MANY = `ge ${REFUSED_PER_SECOND * IN_A_PERIOD}`;

/**
 * Every answer passes the rules for answers, also one of HAProxy's own; a request that was abandoned never gets there. So those that came,
 * without those that ended and those that are here, are the abandoned ones that were not counted yet. Each request counts one of
 * them, so that they have a rate.
 */
const COUNT = `\
  http-request set-var(txn.ended) sc_get_gpc(${ENDED},1)
  http-request set-var(txn.here) sc1_trackers
  http-request set-var(txn.abandoned) bool(true) if { sc_http_req_cnt(1),sub(txn.ended),sub(txn.here) gt 0 }
  http-request sc-inc-gpc(${ABANDONED},1) if { var(txn.abandoned) -m bool }
  http-request sc-inc-gpc(${ENDED},1) if { var(txn.abandoned) -m bool }
  http-after-response set-var(txn.ended) sc_inc_gpc(${ENDED},1)
`;

/** `isOneClients`: its connections are a client's own, not those of a proxy that is trusted. */
export function abandonedRules(isOneClients: boolean): string {
  const close = `  http-request reject if { sc_gpc_rate(${REFUSED},1) ${FAR_TOO_MANY} }\n`;
  return `${COUNT}\
  http-request sc-inc-gpc(${REFUSED},1) if { sc_gpc_rate(${ABANDONED},1) ${TOO_MANY} }
${isOneClients ? close : ''}\
  http-request deny status ${TOO_MANY_ABANDONED.status} content-type application/problem+json hdr retry-after ${IN_A_PERIOD} string \
'${problem('Too Many Requests', TOO_MANY_ABANDONED)}' if { sc_gpc_rate(${ABANDONED},1) ${TOO_MANY} }
`;
}

/** Before its handshake. */
export const CLOSED_FOR_ABANDONED = `  tcp-request connection reject if { src,ipmask(32,64),table_gpc_rate(${REFUSED},requests) ${FAR_TOO_MANY} }\n`;
