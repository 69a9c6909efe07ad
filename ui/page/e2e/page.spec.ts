import { expect, test } from '@playwright/test';

test.beforeEach(({ page }) => {
  page.on('console', (m) => expect(m.type(), m.text()).not.toBe('error'));
  page.on('pageerror', (e) => expect(e.message).toBe(''));
});

test('a formula is drawn, a click opens the panel, and its link opens it again', async ({ page }) => {
  await page.goto('/');
  await page.getByLabel('or type a formula').fill('rlft(4,2)');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('button', { name: 'leaf 1' }).first().click();
  await expect(page.getByRole('heading', { name: 'leaf 1' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'leaf 1' })).toBeVisible();
});

test('a path is followed there and back', async ({ page }) => {
  await page.goto('/path?fabric=rlft(4,2)&from=host+0&to=host+7');
  await expect(page.getByRole('heading', { name: 'And back' })).toBeVisible();
});

test('a dropped file is read; what is no fabric is refused in words, and nothing runs', async ({ page }) => {
  await page.goto('/');
  await page.setInputFiles('input[type=file]', '../../examples/trinityx.ibnetdiscover');
  await expect(page.locator('.picture svg')).toBeVisible();
  await page.goto('/');
  await page.setInputFiles('input[type=file]', { name: '<img src=x onerror=alert(1)>', mimeType: 'text/plain', buffer: Buffer.from('<b>no</b>') });
  await expect(page.getByRole('alert')).toBeVisible();
});
