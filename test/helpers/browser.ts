// The operator's page in a real browser, against a real admin server with a scripted manager behind it.
import { expect } from 'chai';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import type { ScriptedSource } from '../src/admin/scripted-source.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from './gatekeeper.ts';

const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Beside busy neighbours a page may take long to load. */
export const PATIENCE_MS = 60_000;

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: [...ARGS, ...QUIET] });

export const serveAdmin = (
  source: ScriptedSource,
  faults: string[],
  options: { port?: number; token?: string; viewerToken?: string } = {},
): Promise<AdminServer> =>
  startAdminServer(
    { host: '127.0.0.1', port: 0, token: '', viewerToken: '', tls: NO_TLS, ...options },
    {
      ...{ source, keys: NO_KEYS, audit: NO_AUDIT },
      metrics: { contentType: 'text/plain', text: async () => '' },
      log: { error: (_fields, message) => void faults.push(message) },
    },
  );

export async function openPage(
  browser: Browser,
  url: string,
  faults: string[],
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('console', (message) => {
    // what the network refuses is part of the tests; scripts and the content security policy must be silent
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  await page.goto(url);
  return page;
}

export const expectNoFaults = (faults: readonly string[]): void => void expect(faults).to.eql([]);
