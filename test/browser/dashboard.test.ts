// The page in a real browser against a real admin server with a scripted manager behind it.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { AdminServer } from '../../src/admin/server.ts';
import { MmeliotError } from '../../src/errors.ts';
import { toyOffer } from '../helpers/toy-market.ts';
import { expectNoFaults, openPage, PATIENCE_MS, serveAdmin, startBrowser } from '../helpers/browser.ts';
import { until } from '../helpers/until.ts';
import { playRiseAndFall, ScriptedSource, vm } from '../src/admin/scripted-source.ts';

let browser: Browser;
let page: Page;
let admin: AdminServer;
let source: ScriptedSource;
let faults: string[];

async function serve(options: { port?: number; token?: string } = {}): Promise<void> {
  admin = await serveAdmin(source, faults, options);
}

async function open(options: Parameters<Browser['newPage']>[0] = {}): Promise<void> {
  page = await openPage(browser, admin.url, faults, options);
}

const text = (selector: string): Promise<string> => page.locator(selector).first().innerText();
const see = (selector: string): Promise<void> => page.locator(selector).first().waitFor({ timeout: PATIENCE_MS });

describe('admin page', function () {
  this.timeout(180_000);

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  beforeEach(async () => {
    source = new ScriptedSource();
    playRiseAndFall(source);
    faults = [];
    await serve();
  });
  afterEach(async () => {
    await page.close();
    await admin.close();
    expectNoFaults(faults);
  });

  it('shows the VMs for stored work and the jobs that wait, where there are any', async () => {
    const own = source.view();
    const work = { ...own, role: 'work', vms: [{ ...own.vms[0], id: 'vm-77' }], limits: { min: 0, max: 3 } } as const;
    const job = {
      id: '0123456789',
      kind: 'export',
      progress: { captured: 400, events: 900 },
      createdAt: own.at - 60_000,
    };
    source.view = () => ({
      ...own,
      work: work as typeof own,
      backlog: { jobs: 5, events: 2_000, age: 60_000 },
      jobs: [
        { ...job, class: 'bulk', running: true, end: own.at + 30_000 },
        { ...job, id: 'abcdefghij', running: false },
      ],
    });
    await open();
    await see('.connection.live');
    const panel = page.getByRole('region', { name: 'Stored work' }).first();
    expect(await panel.innerText()).to.include('vm-77');
    const jobs = await text('.jobs');
    expect(jobs)
      .to.include('at work')
      .and.include('bulk')
      .and.include('export')
      .and.include('400 of 900')
      .and.include('30 s');
    expect(await page.getByText('and 3 more.').count()).to.equal(1);
  });

  it('tunes the VMs for stored work as the others: adds one, tries settings on their past, applies and takes them back', async () => {
    const workers = new ScriptedSource();
    playRiseAndFall(workers);
    const view = source.view.bind(source);
    source.view = () => ({ ...view(), work: { ...workers.view(), role: 'work' } });
    Object.assign(source, { work: workers });
    await admin.close();
    await serve();
    await open();
    await see('.connection.live');
    await page.getByRole('button', { name: 'Add a VM for stored work' }).click();
    await page.getByLabel('Charts, settings and decisions of').selectOption('VMs for stored work');
    await see('h2:has-text("Settings of the VMs for stored work")');
    await see('.decisions li.allocate');
    expect(await page.locator('.chart canvas').count()).to.equal(2);
    await page.getByLabel('High', { exact: true }).fill('60');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await see('.preview');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await until('it is in force', () => workers.parameters.high === 60);
    expect(source.parameters.high).to.equal(70);
    await page.getByRole('button', { name: 'Undo last change' }).click();
    await until('it is taken back', () => workers.parameters.high === 70);
    expect(workers.hand.map(({ deed }) => deed)).to.deep.equal([{ what: 'add', count: 1 }]);
    expect(source.hand).to.deep.equal([]);
  });

  it('shows fleet, signals, charts and the last decisions with their reasons', async () => {
    source.fleet = [vm('vm-1', 'ready'), vm('vm-9', 'failed', 'did not answer within 120 s')];
    source.play(81.4, { action: 'allocate', failed: 'no host has room', deltaTp: 23.4 });
    await open();
    await see('.connection.live');
    expect(await text('.tiles'))
      .to.include('81.4 %')
      .and.include('saturated: above 70\u00a0%')
      .and.include('+23.4 %');
    expect(await text('.fleet'))
      .to.include('vm-1')
      .and.include('3 of 16')
      .and.include('did not answer within 120 s');
    expect(await text('.decisions li'))
      .to.include('allocate')
      .and.include('LP 81.4 is above')
      .and.include('no host has room');
    expect(await text('.explanation')).to.include('To release: LP below 30 (it is 81.4)');
    expect(await page.locator('.chart canvas').count()).to.equal(8);
    expect(await page.getByRole('img', { name: /^Load prediction \(LP\): LP 81 %/ }).count()).to.equal(1);
  });

  it('shows what VMs are and cost, which one is taken, and who stands in for it', async () => {
    const [spot, onDemand] = [toyOffer('a', 'interruptible', 0.009), toyOffer('b', 'on-demand', 0.067)];
    source.fleet = [
      { ...vm('vm-1', 'ready'), offer: spot, interruptAt: source.now + 110_000 },
      { ...vm('vm-2', 'pending'), offer: onDemand, inPlaceOf: 'vm-1' },
      { ...vm('vm-3', 'pending'), offer: spot, relieves: 'vm-2' },
    ];
    source.bill = { rate: 0.085, cost: 1.234, saved: 5.678, prices: { 'vm-1': 0.009 }, isPriced: true };
    await open();
    await see('.connection.live');
    const rows = await page.locator('.fleet tbody tr').allInnerTexts();
    expect(rows[0])
      .to.include('interruptible')
      .and.match(/will be taken in (1 min|1\d\d s|1:)/);
    expect(rows[1]).to.include('on-demand').and.include('stands in for vm-1');
    expect(rows[2]).to.include('relieves vm-2');
    expect(await page.getByTitle('a/interruptible, 0.009 an hour').count()).to.equal(1);
    expect(await text('.tiles'))
      .to.include('0.085 /h')
      .and.include('1.23 so far, 5.68 saved');
  });

  it('keeps a VM to look at and gives it back, and shows the refusal where it may not', async () => {
    source.fleet = [vm('vm-1', 'ready'), vm('vm-9', 'releasing')];
    await open();
    await see('.connection.live');
    expect(await page.getByRole('button', { name: 'Keep vm-9' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Keep vm-1' }).click();
    await see('.badge.kept');
    expect(await text('.fleet')).to.include('Kept by admin page.');
    expect(await text('.tiles')).to.include('1 kept');
    source.byHand = () => Promise.reject(new MmeliotError('BAD_REQUEST', 'This is a dry run.'));
    await page.getByRole('button', { name: 'Release vm-1' }).click();
    await see('.fleet [role=alert]');
    expect(await text('.fleet [role=alert]')).to.equal('This is a dry run.');
  });

  it('shows what is true of the manager, with a reason and what to do', async () => {
    const since = source.now - 90_000;
    source.conditions = [
      { name: 'repository', status: 'error', reason: 'It does not answer.', remedy: 'Start the database.', since },
      { name: 'disk', status: 'ok', reason: '5 GB are free.', since },
    ];
    await open();
    await see('.conditions li');
    expect(await text('.conditions li.error'))
      .to.include('repository')
      .and.include('It does not answer. Start the database.')
      .and.include('for 1 min');
    const rest = page.getByText('1 more: ok');
    expect(await page.locator('.conditions li.ok').isVisible(), 'nobody looks for it').to.equal(false);
    await rest.click();
    await see('.conditions li.ok');
    source.conditions = source.conditions.map((one) => ({ ...one, status: 'ok' }));
    source.play(50);
    await see('summary:has-text("All 2: ok")');
  });

  it('draws thresholds as they were, and none for a policy that has none', async () => {
    const lp = '.chart[aria-label^="Load"] .key';
    source.parameters = { ...source.parameters, high: 60 };
    source.play(50);
    await open();
    await see(`${lp} li:has-text("high") >> text=60 %`);
    await page.locator('.chart[aria-label^="Load"] .u-over').hover({ position: { x: 5, y: 50 } });
    await see(`${lp} li:has-text("high") >> text=70 %`); // of the first period
    await page.close();
    source.records.splice(0);
    source.parameters = { ...source.parameters, policy: 'hpa' };
    source.play(50);
    await open();
    await see(`${lp} li:has-text("LP")`);
    expect(await page.locator(`${lp} li`).count()).to.equal(1);
    expect(await page.locator('.fleet .tick').count()).to.equal(0);
  });

  it('is no wider than a phone, however long names, addresses and sentences are', async () => {
    const name = 'aNameThatNobodyCanBreak'.repeat(6);
    const since = source.now;
    source.fleet = [{ ...vm(name, 'pending'), note: `It does not start: /var/lib/${name}.` }, ...source.fleet];
    source.problems = [{ since, severity: 'error', message: name, acknowledged: { who: name, at: since } }];
    source.conditions = [{ name: 'gateways', status: 'error', reason: name, remedy: name, since }];
    source.hand = [{ at: since, who: name, deed: { what: 'drain', vm: name } }];
    source.changes = [{ at: since, who: name, patch: { high: 80 }, before: { high: 70 } }];
    const own = source.view();
    source.view = () => ({ ...own, group: name, gateway: `https://${name}:8443/` });
    await open({ viewport: { width: 400, height: 850 } });
    await see('.connection.live');
    await see('.conditions');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(400);
    expect((await page.locator('h1').boundingBox())?.height, 'our own name is on one line').to.be.lessThan(40);
  });

  it('does not forget at once what was lost, and says of what time it is and why; shows one class of requests by itself', async () => {
    source.play(50, { lost: 705 });
    source.play(50);
    await open();
    await see('.tile.above:has-text("Lost") >> text=707');
    expect(await text('.tile.above:has-text("Lost") .hint')).to.match(/^in the 10 min up to \d\d:\d\d:\d\d$/);
    const drawn = (name: RegExp) => page.getByRole('img', { name }).waitFor({ timeout: PATIENCE_MS });
    await drawn(/^Lost, by cause: all 0, queue-full 0$/);
    await drawn(/^Requests in flight: at VMs 7, waiting 0$/);
    await drawn(/^Time in the queue \(ms\): mean –, p50 0.5 ms, p95 939 ms, p99 939 ms$/);
    await page.getByLabel('Response and queue of').selectOption('capture');
    await drawn(/^Response time \(ms\): capture: mean 500 ms, p50 \d+ ms/);
    await drawn(/^Time in the queue \(ms\): capture: mean 1.0 s, p50 /);
  });

  it('follows the manager live', async () => {
    await open();
    await see('.connection.live');
    source.fleet = [...source.fleet, vm('vm-new', 'pending')];
    source.problems = [{ since: source.now, severity: 'error', message: 'The provider does not answer.' }];
    source.play(91.2, { action: 'allocate' });
    await see('.fleet >> text=vm-new');
    await see('.decisions >> text=LP 91.2 is above');
    await see('.problems >> text=The provider does not answer.');
    const decided = source.records.at(-1)!;
    const failed = { step: 'admit', vm: 'vm-new', ok: false, message: 'no answer', durationMs: 1 };
    source.records[source.records.length - 1] = { ...decided, outcome: [...decided.outcome, failed] };
    await see('.decisions >> text=admit of vm-new failed: no answer');
    expect(await page.locator('.decisions >> text=LP 91.2 is above').count()).to.equal(1);
  });

  it('tunes thresholds: says what is wrong, what may be, and what is in force', async () => {
    await open();
    await page.getByLabel('High', { exact: true }).fill('20');
    await page.getByRole('button', { name: 'Apply' }).click();
    await see('.answer.error >> text=low (30) has to be below high (20).');
    expect(source.parameters.high).to.equal(70);
    await page.getByLabel('High', { exact: true }).fill('80');
    await page.getByLabel('Low', { exact: true }).fill('45');
    await page.getByRole('button', { name: 'Apply' }).click();
    await see('.answer.warning >> text=In force from the next period.');
    expect(source.parameters).to.include({ high: 80, low: 45 });
    await see('.note >> text=Last changed by admin page');
    source.play(50);
    await see('.chart .key li:has-text("high") >> text=80 %');
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).to.equal(true);
  });

  it('shows changes only, when asked to', async () => {
    await open();
    await see('.decisions li.hold');
    await page.getByLabel('changes only').check();
    expect(await page.locator('.decisions li.hold').count()).to.equal(0);
    expect(await page.locator('.decisions li.allocate').count()).to.be.greaterThan(0);
  });

  it('says clearly that the manager is gone, and comes back with it', async () => {
    await open();
    await see('.connection.live');
    const port = Number(new URL(admin.url).port);
    await admin.close();
    await see('.announce[role=status] >> text=No connection to the manager since');
    await see('main.stale');
    await page.locator('.decisions').scrollIntoViewIfNeeded();
    const { y = -1 } = (await page.locator('.announce .banner').boundingBox()) ?? {};
    expect(y, 'it is seen from further down, too').to.equal(0);
    source.play(64.2);
    await serve({ port });
    await see('.connection.live');
    await see('.tiles >> text=64.2 %');
    expect(await page.locator('.announce .banner').count()).to.equal(0);
  });

  it('asks for the token, refuses a wrong one, and opens with the right one', async () => {
    await admin.close();
    await serve({ token: 'open sesame' });
    await open();
    await page.getByLabel('Admin token').fill('open says me');
    await page.getByRole('button', { name: 'Open' }).click();
    await see('text=The manager does not accept this token.');
    await page.getByLabel('Admin token').fill('open sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await see('.connection.live');
    await page.reload();
    await see('.connection.live');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`fits a phone and keeps its contrast (${colorScheme})`, async () => {
      source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'pending', 'booting'), vm('vm-3', 'failed', 'gone')];
      source.problems = [
        { since: source.now, severity: 'error', message: 'An error.' },
        { since: source.now, severity: 'warning', message: 'A warning.' },
      ];
      source.conditions = (['ok', 'note', 'warning', 'error', 'unknown'] as const).map((status) => ({
        ...{ name: 'disk', status, reason: 'So it is.', remedy: 'Do this.', since: source.now },
      }));
      source.play(75, { action: 'allocate', failed: 'refused', lost: 3 });
      await open({ viewport: { width: 400, height: 800 }, colorScheme });
      await see('.connection.live');
      await see('.decisions li');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(400);
      expect(await page.evaluate(POOR_CONTRAST)).to.eql([]);
    });
  }

  it('draws the first period, too', async () => {
    source.play(1);
    await open();
    await see('.chart .key');
    // the page is gray and black but for the lines
    const colored = `(() => {
      const { width, height, data } = ((canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height))(
        document.querySelector('.chart canvas'));
      let found = 0;
      for (let i = 0; i < 4 * width * height; i += 4)
        if (data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 80) found++;
      return found;
    })()`;
    await page.waitForFunction(`${colored} > 10`);
  });

  it('shows those of many VMs first that are not simply ready', async () => {
    source.fleet = Array.from({ length: 100 }, (_, i) => vm(`vm-${i}`, i === 77 ? 'pending' : 'ready'));
    await open();
    await see('.fleet tbody tr:first-child >> text=vm-77');
  });

  it('works for ten thousand VMs', async () => {
    source.fleet = Array.from({ length: 10_000 }, (_, i) => vm(`vm-${i}`, 'ready'));
    source.play(50);
    await open();
    await see('.fleet tbody tr');
    expect(await page.locator('.fleet tbody tr').count()).to.equal(50);
    await page.getByRole('button', { name: 'Show all 200' }).click();
    await see('text=and 9800 more, ready and less loaded.');
    expect(await page.locator('.fleet tbody tr').count()).to.equal(200);
  });
});

/** Runs in the page: texts below WCAG's contrast of 4.5 to 1 (3 to 1 where large); disabled controls are exempt. */
const POOR_CONTRAST = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length === 3) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll('#app *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest('button:disabled')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(parse(style.color)), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) poor.push(element.textContent.trim() + ' ' + ratio.toFixed(2));
  }
  return poor;
})()`;
