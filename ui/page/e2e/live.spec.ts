import { expect, test } from '@playwright/test';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { login, Manager, tokens } from './manager';
import { program } from './weft';

test.describe.configure({ timeout: 90_000 });
const slow = expect.configure({ timeout: 30_000 });

let m: Manager;
test.beforeAll(async () => {
  m = new Manager(['--job-interval', '1s']);
  await m.emulate('rlft(4,2)');
  await m.start();
});
test.afterAll(() => m.end());

test('a cable is pulled while one watches: its event, the repair, and the time line', async ({ page }) => {
  await login(page, m, '/live');
  await slow(page.getByText(/SUBNET UP, by/)).toBeVisible();
  m.control('link "leaf 1" 3 down');
  await slow(page.locator('.events').getByText(/leaf 1/).first()).toBeVisible();
  await slow(page.locator('.timeline .cell.rounds').first()).toBeVisible();
  m.control('link "leaf 1" 3 up');
  await page.goto(`${m.url}/live?severity=notice&text=leaf+1`);
  await slow(page.locator('.events').getByText(/leaf 1/).first()).toBeVisible();
  await slow(page.locator('.events .mark.info')).toHaveCount(0);
});

test('a drain is confirmed, shown, and ended; what is refused says why', async ({ page }) => {
  await login(page, m, '/live?tab=drains');
  await page.getByLabel('a switch or a cable').fill('nobody');
  await page.getByRole('button', { name: 'Drain nobody' }).click();
  await page.getByRole('dialog', { name: 'Drain nobody' }).getByRole('button', { name: 'Drain' }).click();
  await slow(page.getByRole('alert')).toContainText(/Refused: .*nobody/);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('a switch or a cable').fill('spine 1');
  await page.getByRole('button', { name: 'Drain spine 1' }).click();
  await page.getByRole('dialog', { name: 'Drain spine 1' }).getByRole('button', { name: 'Drain' }).click();
  await slow(page.getByText(/The manager says: .*spine 1.* is drained from the next round on/)).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: /^Use .*spine 1.* again/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use again' }).click();
  await slow(page.getByText(/The manager says: .*spine 1.* is used from the next round on/)).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await slow(page.getByText('Nothing is drained.')).toBeVisible();
  await page.goto(`${m.url}/live?tab=plans`);
  await slow(page.getByRole('table', { name: 'From version' })).toContainText('forwarding entries');
});

test('the map leads to the drain of a part, and has the colours of what the manager measures', async ({ page }) => {
  await login(page, m, '/map?part=spine+1');
  await page.getByRole('link', { name: 'Drain it' }).click();
  await slow(page.getByLabel('a switch or a cable')).toHaveValue(/^0x/);
  await page.reload();
  await page.getByRole('button', { name: /^Drain 0x/ }).click();
  await slow(page.getByRole('dialog').getByRole('button', { name: 'Drain', exact: true })).toBeVisible();
  await page.goto(`${m.url}/map`);
  for (const [colour, text] of [['traffic', /^Gbit.s at the last reading, one every 500ms/], ['waits', /^wait ticks per second/], ['error-rate', /^errors per minute/], ['fault', /^when a cable of a line was lost last/]] as const) {
    await page.getByLabel('colour of cables').selectOption(colour);
    await slow(page.locator('.heading .legend', { hasText: text })).toBeVisible();
  }
  // Of the cable that was pulled above.
  await slow(page.locator('.heading .legend', { hasText: /^up to (a minute|10 minutes) ago$/ })).toBeVisible();
});

test('a reader sees all, and may change nothing', async ({ page }) => {
  await login(page, m, '/live?tab=drains', tokens.read);
  await page.getByLabel('a switch or a cable').fill('spine 1');
  await slow(page.getByRole('button', { name: 'Drain spine 1' })).toBeDisabled();
  await slow(page.getByText('log in with a token that has the role operate')).toBeVisible();
  await page.goto(`${m.url}/live?tab=partitions`);
  await slow(page.getByRole('heading', { name: 'Partitions' })).toBeVisible();
});

test('jobs that run, and which share channels; the marked job is in the link', async ({ page }) => {
  await login(page, m, '/live?tab=jobs');
  await slow(page.getByText('No job runs, as far as the manager was told')).toBeVisible();
  for (const [id, nodes] of [['4711', 'host[0-2],host99'], ['4712', 'host[2-5]'], ['apart', 'host[6-7]']] as const) {
    expect((await m.ask('PUT', `/v1/jobs/${id}`, { user: `user-${id}`, nodes })).changed).toBe(1);
  }
  const jobs = (job: string) => page.getByRole('table', { name: 'Jobs that run' }).locator('tbody tr').filter({ has: page.locator('td:first-child', { hasText: job }) });
  const shares = (job: string) => page.getByRole('table', { name: 'Who shares channels with whom' }).locator('tbody tr').filter({ has: page.locator('td:first-child', { hasText: job }) });
  await slow(jobs('4711')).toContainText('user-4711');
  await slow(jobs('4711')).toContainText('not found at its start: host99');
  await slow(jobs('4712')).toContainText(/4: host.2-5. *(nothing|\d+ entr)/);
  await slow(page.getByText('No turn is under way. 3 jobs run.')).toBeVisible();
  await slow(shares('apart')).toContainText('no job');
  await shares('4711').getByRole('link', { name: '4711' }).click();
  await slow(page.getByText('Job 4711 shares channels with 1 job')).toBeVisible();
  await page.reload();
  for (const table of [jobs, shares]) {
    await slow(table('4711')).toHaveAttribute('aria-current', 'true');
    await slow(table('4712')).toHaveClass(/beside/);
    await slow(table('apart')).not.toHaveClass(/beside/);
  }
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).last().click();
  expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(/"4712",.*"4711"\r\n"apart"/);
  await shares('4711').getByRole('link', { name: 'a path over it' }).click();
  await slow(page.getByText('The busiest cable on the way')).toBeVisible();
  await page.goto(`${m.url}/live?tab=jobs&job=gone`);
  await slow(page.getByText('Job gone does not run.')).toBeVisible();
  await page.getByRole('link', { name: 'Their events' }).click();
  await slow(page.locator('.events').getByText('job 4711 (user-4711) on 3 nodes by token tester: host[0-2]; not found: host99')).toBeVisible();
  await slow(page.locator('.events').getByText(/moved for .*job/).first()).toBeVisible();
  await page.context().clearCookies();
  await login(page, m, '/live?tab=jobs', tokens.read);
  await slow(page.getByText('To see it, log in with a token that has the role jobs.')).toBeVisible();
  await m.ask('PUT', '/v1/jobs', { jobs: [] });
  await slow(page.getByText('No job runs, as far as the manager was told')).toBeVisible();
});

test('what was hot at a time, and the hour of that cable', async ({ page }) => {
  let at = '';
  await slow
    .poll(async () => {
      m.control('count "leaf 0" 3 12 100000000');
      at = (await m.ask('GET', '/v1/status')).history_file?.to ?? '';
      const { hot } = at ? await m.ask('GET', `/v1/hot?at=${at}`) : { hot: [] };
      return hot?.some((h: { from: { name: string; port: number } }) => h.from.name === 'leaf 0' && h.from.port === 3);
    })
    .toBeTruthy();
  await login(page, m, `/live?tab=cables&at=${at}`);
  await slow(page.getByRole('heading', { name: 'Hot cables at' })).toBeVisible();
  await page.getByRole('table', { name: 'Hot cables' }).getByRole('button', { name: 'leaf 0[3]' }).click();
  await slow(page.getByRole('img', { name: 'Sent and received' })).toBeVisible();
  await page.reload();
  await slow(page.getByRole('img', { name: 'Sent and received' })).toBeVisible();
  await page.goto(`${m.url}/live?tab=cables&at=2001-01-01T00:00:00Z`);
  await slow(page.getByRole('alert')).toContainText('no reading');
});

test('a link in quarantine is shown with the reason, and used again', async ({ page }) => {
  await slow
    .poll(async () => {
      m.control('link "leaf 2" 3 flap 100ms');
      return (await m.ask('GET', '/v1/status')).quarantine.length;
    }, { intervals: [1500] })
    .toBe(1);
  await login(page, m, '/live?tab=drains');
  await slow(page.getByText(/came back .* times/)).toBeVisible();
  await page.getByRole('button', { name: /^Use the link .*leaf 2.* again/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use again' }).click();
  await slow(page.getByText(/The manager says/)).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await slow(page.getByText('No link is in quarantine.')).toBeVisible();
});

test('the page goes on when the manager restarts, and says when it is old', async ({ page }) => {
  await login(page, m, '/live');
  await slow(page.getByText(/SUBNET UP, by/)).toBeVisible();
  await slow(page.locator('.events').getByText('round-ended').first()).toBeVisible();
  await m.kill('SIGKILL');
  await slow(page.getByText(/Last answer .* ago/)).toBeVisible();
  await m.start();
  await slow(page.getByText('The manager was started again')).toBeVisible();
  await slow(page.getByText(/Last answer .* ago/)).toBeHidden();
});

test('names of devices are only ever text', async ({ page }) => {
  const hostile = new Manager();
  const names = ['<img src=x onerror=window.ran=1>', '</script><script>window.ran=1</script>', '{@html 1}${1}\u202e%00&lt;', "'javascript:window.ran=1//"];
  const net = spawnSync(program, ['gen', 'rlft(4,2)'], { encoding: 'utf8' }).stdout;
  writeFileSync(`${hostile.dir}/net`, net.replace(/"(leaf|host|spine) (\d)"/g, (_, kind, n) => `"${names[Number(n) % names.length]}${kind[0]}${n}"`));
  try {
    await hostile.emulate(`${hostile.dir}/net`);
    await hostile.start();
    await login(page, hostile, '/live');
    await slow(page.getByText(/SUBNET UP, by/)).toBeVisible();
    hostile.control('link 0x0200005300000001 3 down');
    await slow(page.locator('.events').getByText('<img src=x').first()).toBeVisible();
    for (const tab of ['cables', 'drains', 'partitions', 'jobs', 'plans']) {
      await page.goto(`${hostile.url}/live?tab=${tab}&cable=%3Cimg%20src=x%20onerror=window.ran=1%3E&job=%3Cb%3E&before=%3Cb%3E&text=%3Cb%3E&at=%3Cb%3E`);
      await slow(page.getByRole('heading', { name: 'Live' })).toBeVisible();
    }
    expect(await page.evaluate(() => 'ran' in window || document.querySelector('img') !== null)).toBe(false);
  } finally {
    await hostile.end();
  }
});
