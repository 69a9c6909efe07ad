import { expect, mayNotComplain, test } from './weft';

test('a term of the glossary shows its meaning on hover and on focus, until Escape', async ({ page }) => {
  mayNotComplain(page);
  await page.goto('/lab');
  const term = page.getByText('engines', { exact: true });
  const tip = page.getByRole('tooltip');
  await expect(async () => {
    await page.getByRole('heading', { name: 'Lab' }).hover();
    await term.hover();
    await expect(tip).toBeVisible({ timeout: 500 });
  }).toPass(); // the glossary has come
  await expect(tip).toContainText('routing');
  await tip.hover(); // the pointer may move over it
  await expect(tip).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tip).toBeHidden();
  await page.locator('#main').focus();
  await page.keyboard.press('Tab');
  await expect(tip).toBeVisible();
  await expect(page.locator(':focus')).toHaveAttribute('aria-describedby', (await tip.getAttribute('id')) ?? 'none');
  await page.keyboard.press('Tab');
  await expect(tip).toBeHidden();
});
