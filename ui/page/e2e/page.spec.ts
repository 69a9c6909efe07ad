import { expect, mayNotComplain, test } from './weft';

// The browser writes each answer of 400 and above to its console.
const refused = /the server responded with a status of 4/;

test.beforeEach(({ page }) => mayNotComplain(page, refused));

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

test('a dropped file is read; what is no fabric is refused in words', async ({ page }) => {
  await page.goto('/');
  await page.setInputFiles('input[type=file]', '../../examples/trinityx.ibnetdiscover');
  await expect(page.locator('.picture svg')).toBeVisible();
  await page.goto('/');
  await page.setInputFiles('input[type=file]', { name: '<img src=x onerror=alert(1)>', mimeType: 'text/plain', buffer: Buffer.from('<b>no</b>') });
  await expect(page.getByRole('alert')).toContainText('<img src=x');
});

test('without a manager there are no jobs', async ({ page }) => {
  await page.goto('/live?tab=jobs');
  await expect(page.getByText('This page has no manager.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'jobs', exact: true })).toHaveCount(0);
});
