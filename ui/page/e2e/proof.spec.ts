// Path, Proof and Compare: each state is a link, and a reload shows the same.
import { readFile } from 'node:fs/promises';
import { expect, login, mayNotComplain, test } from './weft';

test('a path, and the path after the failure of one of its cables', async ({ page }) => {
  await page.goto('/path?fabric=rlft(4,2)&from=host+0&to=host+7&engines=updn');
  await expect(page.getByText('The busiest cable on the way')).toBeVisible();
  await expect(page.locator('.picture .mark.there')).toHaveCount(2); // between switches
  await page.getByRole('link', { name: 'What if leaf 0[4] fails' }).first().click();
  await expect(page.getByText('A path of this pair crosses the cable.')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'After leaf 0[4] – spine 1[1] has failed' })).toBeVisible();
  await expect(page.locator('.picture .mark.gone')).toHaveCount(1);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  expect(await readFile(await (await saved).path(), 'utf8')).toContain('there after the failure,8,0,1,host 0[1]');
});

test('a name that nothing has is said so', async ({ page }) => {
  mayNotComplain(page, /status of 409/);
  await page.goto('/path?fabric=rlft(4,2)&from=host+0&to=host+99');
  await expect(page.getByRole('alert')).toContainText('to: ');
});

test('a cycle is walked by the keyboard, and the step is in the link', async ({ page }) => {
  await page.goto('/proof?fabric=torus(4x4)&engines=sssp');
  await expect(page.getByText('Faulty: packets can deadlock')).toBeVisible();
  await page.getByRole('button', { name: 'Next' }).press('Enter');
  await expect(page.getByText(/^Packet 2 of /)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/^Packet 2 of /)).toBeVisible();
  await expect(page.locator('.picture .mark.held')).not.toHaveCount(0);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as SVG' }).click();
  const svg = await readFile(await (await saved).path(), 'utf8');
  expect(svg).toContain('stroke="rgb(');
  expect(svg).not.toContain('class=');
});

test('two routings together, and the way between them', async ({ page }) => {
  await page.goto('/proof?fabric=torus(4x4)&engines=updn');
  await page.getByLabel('then replaced by').fill('dfsssp');
  await page.getByRole('button', { name: 'Prove' }).click();
  await expect(page.getByText('on this way neither can happen')).toBeVisible();
});

test('engines on two fabrics: rows, sorted by a link, and the recommendation', async ({ page }) => {
  await page.goto('/compare?fabric=torus(4x4)&with=rlft(4,2)&rows=updn,minhop,ftree&sort=ebb');
  await expect(page.getByText('Recommended:')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(7);
  await expect(page.getByRole('cell', { name: /^refuses: / })).toHaveCount(1);
  await page.getByRole('link', { name: 'Proof of minhop' }).last().click();
  await expect(page.getByText('Faulty: packets can deadlock')).toBeVisible();
});

test('the Plan in force of a manager: its proof, a path, and what would replace it', async ({ page, sm }) => {
  const url = await sm('torus(4x4)', '--engine', 'updn');
  await page.goto(url);
  await login(page, url);
  await page.getByRole('link', { name: 'Proof', exact: true }).click();
  await expect(page.getByText(/^✓ Proven for /)).toBeVisible();
  await page.getByLabel('then replaced by').fill('dfsssp');
  await page.getByRole('button', { name: 'Prove' }).click();
  await expect(page.getByText('on this way neither can happen')).toBeVisible();
  await page.goto(`${url}/path?from=host+0&to=host+5`);
  await expect(page.getByText('The busiest cable on the way')).toBeVisible();
});
