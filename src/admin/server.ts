// The admin server: the page, the API behind it, /metrics and /health, on a port of its own.
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { MmeliotError } from '../errors.ts';
import { EventStream } from './events.ts';
import { createPage } from './page.ts';
import { contextOf, readPair, watchPair } from '../tls/certificate.ts';
import { hasTls, type TlsFiles } from '../settings/tls.ts';
import { hostInUrl, isLoopback } from '../../epcis/domain/address.ts';
import { audited, doorman, operatorsChange } from './authenticate.ts';
import { Logins } from './logins.ts';
import { knownHost, Refusal, sameOriginWrites, securityHeaders } from './protect.ts';
import { apiRoutes, errorAnswers, type ApiDeps } from './routes.ts';

export interface AdminOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What the API, the page and /metrics ask for; empty: nothing, which only loopback allows. */
  readonly token: string;
  /** Of those who only look. */
  readonly viewerToken: string;
  readonly tls: TlsFiles;
}

export interface AdminServer {
  /** Where the page is. */
  readonly url: string;
  close(): Promise<void>;
}

export interface AdminDeps extends ApiDeps {
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  readonly log: { error(fields: object, message: string): void };
}

export async function startAdminServer(options: AdminOptions, deps: AdminDeps): Promise<AdminServer> {
  const { host, token } = options;
  if (token === '' && !isLoopback(host)) {
    throw new MmeliotError(
      'CONFIG_INVALID',
      `admin.host is ${host}, which others can reach: set admin.token, or keep the admin server on 127.0.0.1.`,
    );
  }
  const events = new EventStream(deps.source);
  const page = createPage();
  const app = express();
  app.disable('x-powered-by');
  app.use(securityHeaders(page.importMapHash), knownHost(host, token));
  app.get('/health', (_request, response) => void response.json({ status: 'ok' }));
  app.use(page.routes);
  const { audit, keys } = deps;
  const logins = new Logins(options, (hash) => keys.administrator(hash));
  const { authenticate, session } = doorman({ logins, audit, secure: hasTls(options.tls), now: Date.now });
  app.get('/metrics', authenticate, metricsAnswer(deps.metrics));
  app.use('/api', sameOriginWrites);
  app.use(session);
  app.use('/api', authenticate, audited(audit), operatorsChange, apiRoutes(deps, events));
  app.use(() => {
    throw new Refusal(404, 'There is nothing here: the page is at /, the API below /api.');
  });
  app.use(errorAnswers(deps.log));

  const server = hasTls(options.tls) ? createTlsServer(contextOf(readPair(options.tls)), app) : createServer(app);
  const stopWatching = 'setSecureContext' in server ? watch(options.tls, server, deps.log) : () => {};
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${hasTls(options.tls) ? 'https' : 'http'}://${hostInUrl(host)}:${port}/`,
    close: async () => {
      stopWatching();
      events.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const metricsAnswer =
  (metrics: AdminDeps['metrics']): RequestHandler =>
  async (_request, response) => {
    const text = await metrics.text();
    response.set('content-type', metrics.contentType).send(text);
  };

const watch = (files: TlsFiles, server: TlsServer, log: AdminDeps['log']): (() => void) =>
  watchPair(
    files,
    (pair) => server.setSecureContext(contextOf(pair)),
    (problem) =>
      log.error({ file: files.certificate }, `The admin page's certificate stays as it was: ${problem.message}`),
  );

async function listen(server: Server | TlsServer, { host, port }: AdminOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what =
        error.code === 'EADDRINUSE'
          ? `Port ${port} of ${host} is in use by another process: choose another admin.port.`
          : `The admin server can't listen on ${host}, port ${port} (${error.code ?? error.message}): check admin.host and admin.port.`;
      reject(new MmeliotError(error.code === 'EADDRINUSE' ? 'PORT_TAKEN' : 'CONFIG_INVALID', what));
    });
    server.listen(port, host, resolve);
  });
}
