import { readFileSync } from 'node:fs';
import { expect, mayNotComplain, test } from './weft';

// Descriptions as an enemy on the fabric would set them: at most 64 bytes each.
const attacks = ['<img src=x onerror=pwned()>', '<script>pwned()</script>', '"><svg/onload=pwned()>', "'-pwned()-'", '{{pwned()}}${pwned()}', 'javascript:pwned()', '\u202eevil\u0000\u0007'];

test('markup in names and in files is text: nothing runs, nothing is asked elsewhere', async ({ page, baseURL }) => {
  mayNotComplain(page, /status of 4/);
  const elsewhere: string[] = [];
  page.on('request', (r) => r.url().startsWith(`${baseURL}/`) || r.url().startsWith('data:') || elsewhere.push(r.url()));
  let ran = false;
  await page.exposeFunction('pwned', () => (ran = true));
  page.on('dialog', (d) => ((ran = true), d.dismiss()));

  let i = 0;
  const text = readFileSync('../../examples/trinityx.ibnetdiscover', 'utf8');
  const hostile = text.replace(/^((?:Switch|Ca)\b.*?# ")[^"]*"/gm, (_, head) => `${head}${attacks[i++ % attacks.length]?.replaceAll('"', "'")}"`);
  await page.goto('/');
  await page.setInputFiles('input[type=file]', { name: `${attacks[0]}.txt`, mimeType: 'text/plain', buffer: Buffer.from(hostile) });
  await expect(page.locator('svg.picture')).toBeVisible();
  await expect(page.locator('.fabric')).toHaveText(`${attacks[0]}.txt`);
  const boxes = page.locator('svg.picture g.box[role=button]');
  await boxes.first().click();
  await expect(page.locator('aside h2')).toContainText(/pwned|evil/);
  await page.getByRole('searchbox').fill('pwned');
  await expect(page.locator('.search li').first()).toContainText('pwned');
  for (const attack of attacks) {
    await page.goto(`/map?${new URLSearchParams({ fabric: attack, part: attack, colour: attack })}`);
    await expect(page.getByRole('alert')).toBeVisible();
  }
  expect(await page.locator('img, script:not([src]), [onload], [onerror]').count()).toBe(0);
  expect(ran).toBe(false);
  expect(elsewhere).toEqual([]);
});

test('without a token the manager shows its login form and nothing else', async ({ page, sm }) => {
  mayNotComplain(page, /status of 401/);
  const url = await sm('rlft(4,2)');
  await page.goto(`${url}/map?part=spine+1`);
  await expect(page.getByLabel('Token of the manager')).toBeVisible();
  expect(await page.locator('body').innerText()).not.toMatch(/spine|host|0x0/);
  const bare = await page.request.get(`${url}/v1/fabrics/subnet/part?name=spine+1`);
  expect(bare.status()).toBe(401);
  expect(await bare.text()).not.toMatch(/spine|0x0/);
  await page.getByLabel('Token of the manager').fill('0123456789abcdef0123456789abcdef');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('heading', { name: 'spine 1' })).toBeVisible();
  expect(page.url()).toBe(`${url}/map?part=spine+1`);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'spine 1' })).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByLabel('Token of the manager')).toBeVisible();
});
