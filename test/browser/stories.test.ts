// What an operator does on the page, story by story; that everybody can do it (axe); and that it stays small and quick.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import type { AdminServer } from '../../src/admin/server.ts';
import { merge, pointOf, type PastPoint } from '../../src/loop/past.ts';
import { expectNoFaults, openPage, PATIENCE_MS, serveAdmin, startBrowser } from '../helpers/browser.ts';
import { playRiseAndFall, ScriptedSource, vm } from '../src/admin/scripted-source.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOUR = 3_600_000;

describe("an operator's stories", function () {
  this.timeout(180_000);
  let browser: Browser;
  let page: Page;
  let admin: AdminServer;
  let source: ScriptedSource;
  let faults: string[];

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  beforeEach(async () => {
    source = new ScriptedSource();
    playRiseAndFall(source);
    source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'ready')];
    source.play(60);
    faults = [];
    admin = await serveAdmin(source, faults);
  });
  afterEach(async () => {
    await page.close();
    await admin.close();
    expectNoFaults(faults);
  });

  const open = async (options: Parameters<Browser['newPage']>[0] = {}, hash = ''): Promise<void> => {
    page = await openPage(browser, `${admin.url}${hash}`, faults, options);
    await see('.connection.live');
  };
  const see = (selector: string): Promise<void> => page.locator(selector).first().waitFor({ timeout: PATIENCE_MS });
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  const field = (label: string) => page.getByLabel(label, { exact: true });

  it('tries thresholds on the last hour before they are in force, applies them, sees who did, and takes them back', async () => {
    await open();
    await field('High').fill('60');
    await press('Preview');
    await see('.preview .totals >> text=VM-minutes');
    expect(await page.locator('.preview').innerText())
      .to.match(/91 periods from/)
      .and.include('Another way from')
      .and.match(/VMs allocated\s+3\s+\d+/);
    expect(await page.locator('.preview canvas').count()).to.equal(2);
    expect(source.parameters.high, 'nothing is changed yet').to.equal(70);
    await press('Apply');
    await see('text=In force from the next period.');
    expect(source.parameters.high).to.equal(60);
    await page.getByText('Who changed what').click();
    await see('.changes >> text=set high=60');
    await press('Undo last change');
    await see('text=Taken back from the next period.');
    expect(source.parameters.high).to.equal(70);
  });

  it('is warned of a pair that flaps, and told in a sentence what cannot be', async () => {
    source.parameters = { ...source.parameters, policy: 'eliot' };
    await open();
    await field('High').fill('50');
    await field('Low').fill('45');
    await press('Preview');
    await see('.preview .banner >> text=the pair flaps');
    await field('Low').fill('55');
    await press('Preview');
    await see('.answer.error >> text=low (55) must be below high (50)');
    await press('Discard');
    expect(await field('Low').inputValue()).to.equal('30');
  });

  it('changes the policy with its own parameters, period, mix and dry run at once', async () => {
    await open();
    await field('Policy').selectOption('hpa');
    await see('#field-policyParameters\\.cpuTarget, [id^="field-policyParameters"]');
    await page.getByText('More settings').click();
    await field('Period').fill('20s');
    await field('Spot share').fill('50');
    await field('Dry run').selectOption('true');
    await press('Apply');
    await see('.facts >> text=hpa (dry run)');
    expect(source.changes[0]?.patch).to.deep.include({ policy: 'hpa', period: '20s', spotShare: 50, dryRun: true });
  });

  it('pauses the manager, adds a VM, drains one, replaces one, and looks after a problem', async () => {
    source.problems = [{ since: source.now, severity: 'error', message: 'The disk is full.', condition: 'disk' }];
    await open();
    await press('Pause decisions');
    await see('.facts >> text=(paused)');
    await press('Resume decisions');
    await press('Add a VM');
    await see('.fleet >> text=vm-3');
    await press('Replace vm-1');
    await see('.fleet >> text=relieves vm-1');
    await press('Drain vm-2');
    await see('.fleet >> text=Drained by admin page.');
    await press('I look after it : The disk is full.');
    await see('.problems >> text=admin page looks after it');
    expect(source.hand.map(({ deed }) => deed.what)).to.deep.equal(['acknowledge', 'drain', 'replace', 'add']);
  });

  it('is told when another operator has set what is being changed, and empties a text', async () => {
    source.parameters = { ...source.parameters, quietHours: '22:00-06:00' };
    await open();
    await field('High').fill('60');
    await source.setParameters({ high: 80 }, 'eva');
    await see('.field.changed >> text=eva has set it to 80 meanwhile.');
    await press('Discard');
    expect(await field('High').inputValue()).to.equal('80');
    expect(await page.locator('.field .warning').count()).to.equal(0);
    await page.getByText('More settings').click();
    await field('Quiet hours').fill('');
    await press('Apply');
    await see('text=In force from the next period.');
    expect(source.parameters.quietHours).to.equal('');
  });

  it('sees everything as a viewer, tries settings, and has nothing to press that would be refused', async () => {
    await admin.close();
    admin = await serveAdmin(source, faults, { token: 'operate', viewerToken: 'look' });
    source.problems = [{ since: source.now, severity: 'error', message: 'The disk is full.', condition: 'disk' }];
    page = await openPage(browser, admin.url, faults);
    await field('Admin token').fill('look');
    await press('Open');
    await see('.visitor >> text=sees everything, changes nothing');
    for (const name of ['Pause decisions', 'Add a VM', 'Drain vm-1', 'I look after it : The disk is full.'])
      expect(await page.getByRole('button', { name, exact: true }).isDisabled(), name).to.equal(true);
    await field('High').fill('60');
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).to.equal(true);
    await press('Preview');
    await see('.preview .totals');
    await page.getByRole('link', { name: 'vm-1' }).click();
    await see('.log');
    expect(await page.getByRole('button', { name: 'Keep vm-1' }).isDisabled()).to.equal(true);
  });

  it('tells the lines of a chart apart without their colours', async () => {
    await open();
    const dashes = `(chart) => [...chart.querySelectorAll('.key li')].map((line) => ({
      label: line.textContent.trim(), dash: line.querySelector('line').getAttribute('stroke-dasharray') }))`;
    const charts = "[...document.querySelectorAll('.chart')]";
    const keys = await page.evaluate<{ label: string; dash: string }[][]>(`${charts}.map(${dashes})`);
    expect(keys.flat().length).to.be.greaterThan(20);
    // bounds are told apart by where they are
    const lines = keys.map((key) => key.filter(({ label }) => !/^(max|min|(near )?(high|low)|target)/.test(label)));
    for (const key of lines)
      expect(new Set(key.map(({ dash }) => dash)).size, JSON.stringify(key)).to.equal(key.length);
  });

  it('reads times of the own time zone, in one language, and no hour 24', async () => {
    // at Kiritimati it is midnight
    await open({ locale: 'en-US', timezoneId: 'Pacific/Kiritimati' });
    expect(await page.locator('.tile:has-text("Lost") .hint').innerText()).to.match(/up to 00:15:10$/);
    expect(await page.locator('[aria-label="Time shown"]').innerText()).to.include(
      'Times are those of Pacific/Kiritimati.',
    );
    await page.close();
    await open({ locale: 'ar-EG', timezoneId: 'Asia/Kathmandu' });
    expect(await page.locator('.decisions time').first().innerText()).to.equal('2 Jan 16:00');
  });

  it('finds the decisions of the time shown without a mouse, and a VM by keys alone', async () => {
    await open();
    await field('Time').selectOption('1h');
    await see('h2 >> text=Decisions in the time shown');
    await see('.decisions li >> nth=4');
    expect(await page.locator('.decisions li').allInnerTexts()).to.have.length(5);
    expect(await page.locator('.decisions li.hold').count()).to.equal(0);
    await page.getByRole('link', { name: 'vm-1' }).focus();
    await page.keyboard.press('Enter');
    await see('#vm-title:focus');
    expect(await page.title()).to.equal('vm-1 · mmeliot');
  });

  it('looks back: a range, a zoom by mouse and by keyboard, and the record of a decision under the pointer', async () => {
    await open();
    await field('Time').selectOption('1h');
    await see('.chart[aria-label^="Load"] .key >> text=LP');
    const plot = page.locator('.chart[aria-label^="Load"] .u-over');
    const box = await plot.boundingBox();
    if (box === null) throw new Error('there is no chart');
    const decided = source.records.findIndex(({ decision }) => decision.action === 'allocate');
    await plot.hover({ position: { x: (decided / (source.records.length - 1)) * box.width, y: 60 } });
    await see('.chart[aria-label^="Load"] .record >> text=/allocate 1: LP .* is above the high threshold/');
    await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 50, { steps: 4 });
    await page.mouse.up();
    await see('.toolbar >> text=/ to /');
    expect(await field('Time').inputValue()).to.equal('zoomed');
    await press('Zoom in');
    await field('High').fill('60');
    const [asked] = await Promise.all([page.waitForRequest(/preview/), press('Preview')]);
    expect(asked.url(), 'on the time that is shown').to.match(/set=high%3D60&from=\d+&until=\d+$/);
    await see('.preview');
    await press('Later');
    await press('Back to 1 hour');
    expect(await field('Time').inputValue()).to.equal('1h');
  });

  it('follows one VM: its load, its life and the end of its log', async () => {
    await open();
    await page.getByRole('link', { name: 'vm-1' }).click();
    await see('h2:has-text("vm-1")');
    await see('.log >> text=serving');
    expect(await page.locator('.changes li').first().innerText()).to.include('admit');
    expect(await page.getByRole('img', { name: /^CPU and memory: CPU 60 %/ }).count()).to.equal(1);
    await press('Keep vm-1');
    await see('.badge.kept');
    await page.getByRole('link', { name: 'All VMs' }).click();
    await see('.tiles');
  });

  for (const [name, options, hash] of [
    ['light', { colorScheme: 'light' }, ''],
    ['dark', { colorScheme: 'dark' }, ''],
    ['phone', { viewport: { width: 390, height: 844 } }, ''],
    ['one VM', {}, '#vm/vm-1'],
  ] as const)
    it(`can be used by everybody: axe finds nothing (${name})`, async () => {
      source.problems = [{ since: source.now, severity: 'warning', message: 'A warning.', condition: 'disk' }];
      source.fleet = [...source.fleet, vm('vm-3', 'kept', 'Kept by ada.'), vm('vm-4', 'failed', 'It crashed.')];
      source.play(88, { action: 'allocate', failed: 'no room', lost: 4 });
      await open({ bypassCSP: true, ...options }, hash);
      if (hash === '') {
        await field('High').fill('60');
        await press('Preview');
        await see('.preview .totals');
        await page.getByText('More settings').click();
      } else await see('.log');
      await page.evaluate(AXE);
      const found = await page.evaluate<string[]>(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
      );
      expect(found).to.deep.equal([]);
      const { width = 0 } = page.viewportSize() ?? {};
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(width);
      const { SCREENSHOTS } = process.env;
      if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
    });

  it('is sent in less than 150 kB, all files together', async () => {
    let sent = 0;
    page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const done: Promise<void>[] = [];
    page.on('requestfinished', (request) => {
      if (!request.url().includes('/api/'))
        done.push(request.sizes().then(({ responseBodySize }) => void (sent += responseBodySize)));
    });
    await page.goto(admin.url);
    await see('.connection.live');
    await Promise.all(done);
    expect(sent / 1000).to.be.within(20, 150);
    expect(readdirSync('src/admin/dashboard').length).to.be.above(10);
  });

  it('stays small with 200 VMs and a month of data', async () => {
    source.fleet = Array.from({ length: 200 }, (_, i) => vm(`vm-${i}`, 'ready'));
    source.play(50);
    const month = monthOf(source);
    source.past = (from, until) => month.filter(({ at }) => at > from && at <= until).slice(-800);
    await open();
    await see('.fleet tbody tr');
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(4_000);
    const [answer] = await Promise.all([page.waitForResponse(/history/), field('Time').selectOption('30d')]);
    const { responseBodySize } = await answer.request().sizes();
    expect(responseBodySize / 1000, 'kB of a month').to.be.within(1, 100);
    await see('.chart[aria-label^="Load"] .key >> text=LP');
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(4_000);
    // a second that brings nothing new draws nothing anew
    await page.evaluate(
      `(() => { const draw = CanvasRenderingContext2D.prototype.clearRect; window.drawn = 0;
         CanvasRenderingContext2D.prototype.clearRect = function (...box) { window.drawn++; return draw.apply(this, box); }; })()`,
    );
    const before = source.views;
    await page.waitForFunction('window.drawn !== undefined');
    for (let i = 0; i < 200 && source.views < before + 3; i++)
      await page.evaluate('new Promise(requestAnimationFrame)');
    expect(source.views, 'states were sent').to.be.at.least(before + 3);
    expect(await page.evaluate<number>('window.drawn')).to.be.below(7);
  });
});

/** 720 points of an hour. */
function monthOf(source: ScriptedSource): readonly PastPoint[] {
  const hour = source.records.map(pointOf).reduce(merge);
  return Array.from({ length: 720 }, (_, i) => ({ ...hour, at: source.now - (719 - i) * HOUR, span: HOUR }));
}
