// Applications: each state is a link, and a reload shows the same.
import { readFile } from 'node:fs/promises';
import { expect, login, mayNotComplain, test } from './weft';

test('two applications at once: figures, the picture as a file, the command, and the busiest link', async ({ page }) => {
  mayNotComplain(page);
  await page.goto('/applications?fabric=rlft(8,2)');
  await page.getByRole('button', { name: 'alltoall(ranks=8,size=256KiB)' }).click();
  await page.getByRole('button', { name: 'checkpoint(ranks=8,' }).click();
  await page.getByLabel('engine').fill('ftree');
  await page.getByLabel('placement').selectOption('random');
  await page.getByLabel('seed').fill('3');
  await page.getByLabel('sends').selectOption('shared');
  await page.getByRole('button', { name: 'Run' }).press('Enter');
  const row = page.getByRole('table', { name: 'Applications of the run' }).getByRole('row').nth(2);
  await expect(row).toContainText('500 µs');
  await expect(row).toContainText('blocks: there is no other');
  await expect(page.locator('.command code')).toHaveText("weft simulate app 'rlft(8,2)' 'alltoall(ranks=8,size=256KiB)' 'checkpoint(ranks=8,storage=2,size=16MiB)@500us' --flows --placement random:3 --sends shared -e ftree --svg run.svg");
  const before = (await row.textContent()) ?? '';
  await page.reload();
  await expect(row).toHaveText(before);
  const image = page.getByRole('img', { name: 'Ranks and the busiest links' });
  expect(await image.evaluate((i: HTMLImageElement) => i.naturalWidth)).toBeGreaterThan(900);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'SVG' }).click();
  const svg = await readFile(await (await saved).path(), 'utf8');
  expect(svg).toContain('busiest links, share of their rate');
  expect(await image.getAttribute('src')).toBe(`data:image/svg+xml,${encodeURIComponent(svg)}`);
  const table = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  expect(await readFile(await (await table).path(), 'utf8')).toContain('"checkpoint(ranks=8,storage=2,size=16MiB)","8","blocks: there is no other","500000"');
  await page.getByRole('row').last().getByRole('link').click();
  await expect(page.getByRole('complementary', { name: 'Details' })).toBeVisible();
});

test('what is wrong or too large is said in words; a run shows how far it is, and stops', async ({ page }) => {
  mayNotComplain(page, /status of 400/);
  await page.goto('/applications?fabric=rlft(8,3)&programs=allreduc(size=1MiB)');
  await expect(page.getByRole('alert')).toContainText('"allreduc" is no collective operation: known are allreduce');
  await page.goto('/applications?fabric=rlft(8,3)&programs=alltoall(size=1MiB,steps=10000)');
  await expect(page.getByRole('alert')).toContainText('about 1.63e+08 messages, more than 1.68e+07');
  await page.goto('/applications?fabric=rlft(8,3)&engines=updn&network=packets&programs=alltoall(size=256KiB,steps=40)');
  await expect(page.getByText(/simulating, at .* of the run's time/)).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('alert')).toHaveText('Stopped.');
  await page.getByLabel('applications, one a line').fill('barrier');
  await page.getByLabel('network').selectOption('ideal');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByRole('alert')).toContainText('add ranks=N');
});

test('a schedule that is chosen as a file is there again after a reload, and its name is only text', async ({ page }) => {
  mayNotComplain(page);
  const name = '<img src=x onerror=document.title=1>.goal';
  const text = 'num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 7\n}\nrank 1 {\nl1: recv 1000b from 0 tag 7\n}\n';
  await page.goto('/applications?fabric=rlft(4,2)&engines=updn');
  await page.setInputFiles('input[type=file]', { name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Run' }).click();
  const table = page.getByRole('table', { name: 'Applications of the run' });
  await expect(table).toContainText(name);
  await page.reload();
  await expect(table).toContainText(name);
  await page.goto('/applications?fabric=rlft(4,2)&programs=other.goal');
  await expect(page.getByRole('alert')).toHaveText('Choose the file other.goal again: a link has its name, not its text.');
});

test("an application on a manager's subnet, by its Plan in force", async ({ page, sm }) => {
  const url = await sm('rlft(4,2)', '--engine', 'updn');
  await page.goto(url);
  await login(page, url);
  await page.goto(`${url}/applications?programs=allreduce(size=1MiB)`);
  await expect(page.getByText('routed by updn, ranks by leaf')).toBeVisible();
});
