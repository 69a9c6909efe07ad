import { readFileSync } from 'node:fs';
import { expect, login, mayNotComplain, test } from './weft';

const refused = /the server responded with a status of 4/;

test.beforeEach(({ page }) => mayNotComplain(page, refused));

test('the example is a chart; a point leads by keyboard to its rows, a row, and its command', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'a sweep as charts' }).click();
  await expect(page.getByRole('img', { name: /^Chart of effective bisection bandwidth/ })).toBeVisible();
  const point = page.getByRole('link', { name: /^updn, damage 0.05: 0.797205 ± 0.00672/ });
  await point.focus();
  await page.keyboard.press('Enter');
  await page.reload(); // the link has it all
  const rows = page.getByRole('complementary', { name: 'Rows of the point' });
  await expect(rows.getByRole('row')).toHaveCount(4);
  await rows.getByRole('button').nth(2).click();
  await expect(rows.locator('.command')).toContainText('weft lab sweep row.yaml');
  await expect(rows.getByText('rlft(8,2)|fail(share=0.05,links=all,seed=2)', { exact: true })).toBeVisible();
});

test('columns and filters are chosen; the chart is saved as SVG and as CSV', async ({ page }) => {
  await page.goto('/lab?sweep=example');
  await page.getByLabel('series').selectOption('network');
  await page.getByLabel('filter by').selectOption('engine');
  await page.getByRole('button', { name: 'All' }).first().click();
  await page.getByRole('checkbox', { name: 'nue' }).check();
  await page.getByRole('checkbox', { name: 'auto' }).uncheck();
  await expect(page.getByRole('link', { name: /^torus\(5x5,hosts=1\), damage 0.1: 0.780255/ })).toBeVisible();
  for (const [button, name, text] of [['Save as SVG', 'chart.svg', '</svg>'], ['Save as CSV', 'chart.csv', 'network,damage,ebb_share,ci95,n,of,rows']] as const) {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(name);
    expect(readFileSync(await file.path(), 'utf8')).toContain(text);
  }
  await page.getByRole('combobox', { name: 'y', exact: true }).selectOption('vls');
  await expect(page.getByText('The mean vls of')).toBeVisible();
});

test('a table is dropped, and closed; what is none is refused in words', async ({ page }) => {
  await page.goto('/lab');
  const table = 'case,fabric,network,damage,engine,workload,status,ebb_share\n1,a,<b>a</b>,none,updn,flow,proven,0.5\n2,a,<b>a</b>,none,nue,flow,refused,\n';
  await page.setInputFiles('input[type=file]', { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
  await expect(page.getByText('2 rows: 1 proven, 1 refused.')).toBeVisible();
  await expect(page.getByText('1 row is not proven')).toBeVisible();
  await page.getByRole('link', { name: 'Other sweeps' }).click();
  await page.getByRole('button', { name: 'Close rows.csv' }).click();
  await expect(page.getByRole('button', { name: 'Close rows.csv' })).toHaveCount(0);
  await page.setInputFiles('input[type=file]', { name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('<img src=x onerror=alert(1)>') });
  await expect(page.getByRole('alert')).toContainText('x.csv:1: no column case');
});

test('the page of a manager says where the lab is', async ({ page, sm }) => {
  const url = await sm('rlft(4,2)');
  await login(page, url);
  await page.goto(`${url}/lab`);
  await expect(page.getByText('weft ui --store FILE')).toBeVisible();
});
