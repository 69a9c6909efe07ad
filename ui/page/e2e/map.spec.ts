import { expect, mayNotComplain, test } from './weft';

test.beforeEach(({ page }) => mayNotComplain(page, /status of 429/));

test('colours have a legend with units, and their link opens them again', async ({ page }) => {
  await page.goto('/map?fabric=rlft(4,2)');
  for (const [colour, text] of [['load', 'pairs of hosts'], ['lanes', 'virtual lanes'], ['speed', 'rates of the cables'], ['errors', 'counter of errors']]) {
    await page.getByLabel('colour of cables').selectOption(colour!);
    await expect(page.locator('.heading', { hasText: text! })).toBeVisible();
  }
  await page.reload();
  await expect(page.locator('.heading', { hasText: 'counter of errors' })).toBeVisible();
});

test('a pod is drawn alone, and the whole network again', async ({ page }) => {
  await page.goto('/map?fabric=rlft(8,3)&part=leaf+1');
  await page.getByRole('link', { name: /alone, every switch/ }).click();
  await expect(page.locator('.heading', { hasText: 'which is not drawn' })).toBeVisible();
  await page.getByRole('link', { name: 'Whole network' }).click();
  await expect(page.locator('.heading', { hasText: 'which is not drawn' })).toHaveCount(0);
});

test('keys and the wheel move the map, and the link keeps the place', async ({ page }) => {
  await page.goto('/map?fabric=rlft(4,2)');
  await page.locator('.picture').focus();
  await page.keyboard.press('+');
  await expect(page).toHaveURL(/at=/);
  const place = () => page.locator('.picture svg').evaluate((e) => (e as SVGElement).style.transform);
  const before = await place();
  await page.reload();
  await expect(page.locator('.picture .box').first()).toBeVisible();
  expect((await place()).replace(/\.\d+/g, '').slice(0, 14)).toBe(before.replace(/\.\d+/g, '').slice(0, 14));
});

test('a click lets a switch fail, the answers come, and undo takes it back', async ({ page }) => {
  await page.goto('/whatif?fabric=rlft(4,2)&engines=updn');
  await page.getByRole('button', { name: 'leaf 1' }).first().click();
  await expect(page.getByText('hosts cut off')).toBeVisible();
  await expect(page.getByText('Not safe')).toBeVisible();
  await expect(page.getByText(/weft whatif 'rlft\(4,2\)' -e updn --fail 0x/)).toBeVisible();
  await page.reload();
  await expect(page.getByText('Not safe')).toBeVisible();
  await page.getByRole('button', { name: /^Undo fail/ }).click();
  await expect(page.getByText('None yet.')).toBeVisible();
});
