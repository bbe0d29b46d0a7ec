// What HAProxy does about clients that have to say who they are: it looks them up, and tells the VM who asks.
import { WHO_FIELD, WHO_NEXT_FIELD } from '../../core/headers.ts';

/** Who of the clients is known: `clients.ts` keeps it. */
export const CLIENTS_MAP = 'clients.map';

/** Of which tenant they are: who is not in it has the main repository. */
export const TENANTS_MAP = 'tenants.map';

/** What it signs with, in base64: 0, and while the group's secret is changed 1, the next. */
export const KEYS_MAP = 'keys.map';

/** Of several the first, as Node reads them. */
const SHOWN = 'req.fhdr(authorization,1)';

/**
 * Whom it knows it passes on; about all others, and whoever has limits, the built-in plane decides. Most connections show the
 * same for each request: that is hashed once. (Without the field both variables stay as they are: nothing may be read from them.)
 * An address with its host is sent on as the path alone, of which the VM is told who asks.
 */
export const WHO = `\
  http-request set-uri %[pathq] if { url_beg -i http:// https:// }
  http-request set-var(txn.again) bool(true) if { ${SHOWN},strcmp(sess.shown) eq 0 }
  http-request set-var(sess.hash) ${SHOWN},sha2(256),hex,lower if !{ var(txn.again) -m bool }
  http-request set-var(sess.shown) ${SHOWN} if !{ var(txn.again) -m bool }
  http-request set-var(txn.who) var(sess.hash),map_str(${CLIENTS_MAP}) if { ${SHOWN} -m found }
  http-request set-var(txn.upload) bool(true) if !{ var(txn.who) -m found }
`;

/** What is open for long ends when its client is not known any more, which the built-in plane sees to: past it there is none. */
const WEB_SOCKET = '{ req.hdr(upgrade) -m str -i websocket }';
export const STREAMS = `  http-request set-var(txn.upload) bool(true) if ${WEB_SOCKET}\n`;
export const NO_STREAMS = `{ nbsrv(uploads) eq 0 } ${WEB_SOCKET}`;

/** As `signClient` in epcis/access/client-token.ts does; what a connection asks for again is not signed again. */
export const VOUCHING = `\
  http-request set-var-fmt(txn.said) "%[var(txn.who)]\\n%[method]\\n%[pathq]" if { var(txn.who) -m found }
  http-request set-var(txn.told) bool(true) if { var(txn.said),strcmp(sess.said) eq 0 }
  http-request set-var(txn.key) str(0),map_str(${KEYS_MAP}) if !{ var(txn.told) -m bool }
  http-request set-var-fmt(sess.word) '%[var(txn.who)].%[var(txn.said),hmac(sha256,txn.key),ub64enc]' if !{ var(txn.told) -m bool } { var(txn.who) -m found }
  http-request unset-var(sess.next) if !{ var(txn.told) -m bool }
  http-request set-var(txn.next) str(1),map_str(${KEYS_MAP}) if !{ var(txn.told) -m bool }
  http-request set-var-fmt(sess.next) '%[var(txn.who)].%[var(txn.said),hmac(sha256,txn.next),ub64enc]' if { var(txn.next) -m found } { var(txn.who) -m found }
  http-request set-var(sess.said) var(txn.said) if !{ var(txn.told) -m bool }
  http-request add-header ${WHO_FIELD} %[var(sess.word)] if { var(txn.who) -m found }
  http-request add-header ${WHO_NEXT_FIELD} %[var(sess.next)] if { var(txn.who) -m found } { var(sess.next) -m found }
  http-request del-header authorization
`;
