// Draws docs/pictures/page-VIEW.jpg: each view at 10, 648 and 11,664 hosts, side by side. Only with
// PICTURES=DIR (make page-pictures).
import { expect, login, test } from './weft';
import { Manager, login as loginTo } from './manager';

const out = process.env['PICTURES'];
test.skip(!out, 'PICTURES=DIR draws the pictures of the docs');
test.describe.configure({ timeout: 900_000 });
test.use({ viewport: { width: 1400, height: 900 } });

const sizes = [
  { formula: 'tree(8,10)', last: 9, ranks: 8 },
  { formula: 'rlft(36,2)', last: 647, ranks: 64 },
  { formula: 'rlft(36,3)', last: 11663, ranks: 64 },
];
const views: Record<string, (s: (typeof sizes)[number]) => string> = {
  map: () => '/map?colour=load',
  path: (s) => `/path?from=host+0&to=host+${s.last}`,
  proof: () => '/proof?engines=updn&after=minhop',
  compare: () => '/compare?rows=updn,ftree&sort=ebb',
  whatif: () => '/whatif?engines=updn&changes=fail+leaf+1',
  applications: (s) => `/applications?engines=ftree&programs=allreduce(ring,ranks=${s.ranks},size=1MiB)`,
};
const lab = ['/lab?sweep=example', '/lab?sweep=example&y=ebb_share&x=engine', '/lab?sweep=example&of=nue&at=0.1'];

type Page = Parameters<typeof login>[0];

/** Waits until nothing is being asked, and takes the picture of a page. */
async function shot(page: Page): Promise<Buffer> {
  await page.waitForTimeout(1000);
  await expect(page.locator('[role=status], progress')).toHaveCount(0, { timeout: 180_000 });
  await page.waitForTimeout(1000);
  return page.screenshot();
}

/** Writes pictures side by side, half as large. */
async function sheet(page: Page, name: string, shots: Buffer[]): Promise<void> {
  await page.setViewportSize({ width: 700 * shots.length, height: 450 });
  await page.setContent(`<body style="margin:0;display:flex">${shots.map((s) => `<img style="width:700px" src="data:image/png;base64,${s.toString('base64')}">`).join('')}`);
  await page.screenshot({ path: `${out}/page-${name}.jpg`, type: 'jpeg', quality: 70 });
  await page.setViewportSize({ width: 1400, height: 900 });
}

test('views of a fabric', async ({ page, context }) => {
  for (const [name, link] of Object.entries(views)) {
    const shots: Buffer[] = [];
    for (const s of sizes) {
      await page.goto(link(s).replace('?', `?fabric=${encodeURIComponent(s.formula)}&`));
      shots.push(await shot(page));
    }
    await sheet(await context.newPage(), name, shots);
  }
});

test('sweeps', async ({ page, context }) => {
  const shots: Buffer[] = [];
  for (const at of lab) {
    await page.goto(at);
    shots.push(await shot(page));
  }
  await sheet(await context.newPage(), 'lab', shots);
});

test('a live manager', async ({ page, context }) => {
  const shots: Buffer[] = [];
  const jobs: Buffer[] = [];
  for (const s of sizes) {
    const m = new Manager(['--interval', '10s', '--counters', '10s']);
    await m.emulate(s.formula);
    await m.start();
    await loginTo(page, m, '/live');
    m.control('link "leaf 1" 1 down');
    await expect(page.locator('.events').getByText(/leaf 1/).first()).toBeVisible({ timeout: 120_000 });
    await page.waitForTimeout(2000);
    shots.push(await page.screenshot());
    // Four jobs of 2 or 32 nodes, one after the other as a scheduler places them; large ones leave out every third node.
    const each = s.last < 100 ? 2 : 32;
    const nodes = Array.from({ length: 6 * each }, (_, i) => i).filter((i) => each === 2 || i % 3 > 0);
    const running = ['fluid-7', 'train-12', 'train-13', 'weather-2'].map((id, i) => ({ id, user: `user-${i}`, nodes: nodes.slice(i * each, (i + 1) * each).map((n) => `host${n}`).join() }));
    await m.ask('PUT', '/v1/jobs', { jobs: running });
    await page.goto(`${m.url}/live?tab=jobs&job=train-12`);
    await expect.poll(async () => (await m.ask('GET', '/v1/status')).jobs.waiting, { timeout: 120_000 }).toBe(0);
    jobs.push(await shot(page));
    await m.end();
  }
  await sheet(await context.newPage(), 'live', shots);
  await sheet(await context.newPage(), 'jobs', jobs);
});
