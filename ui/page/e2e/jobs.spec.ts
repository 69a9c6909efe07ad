// Five jobs as a new user tries them, by the page alone: each from the start page, in at most six
// clicks and one field.
import { expect, test, type Locator, type Page } from '@playwright/test';
import { login, Manager } from './manager';

test.describe.configure({ timeout: 90_000 });
const slow = expect.configure({ timeout: 30_000 });

let m: Manager;
test.beforeAll(async () => {
  m = new Manager();
  await m.emulate('rlft(4,2)');
  await m.start();
});
test.afterAll(() => m.end());

/** A user who counts. */
class User {
  clicks = 0;
  fields = 0;
  constructor(readonly page: Page) {}

  static async at(page: Page) {
    await login(page, m, '/');
    await slow(page.locator('.picture .box').first()).toBeVisible();
    return new User(page);
  }
  async click(what: Locator) {
    this.clicks++;
    await what.click();
  }
  /** Opens a list and chooses from it. */
  async choose(from: Locator, what: string) {
    this.clicks += 2;
    await from.selectOption(what);
  }
  /** Types into a field, and presses Enter. */
  async type(into: Locator, text: string) {
    this.fields++;
    await into.fill(text);
    await into.press('Enter');
  }
  view(name: string) {
    return this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true });
  }
  done(job: string) {
    console.log(`${job}: ${this.clicks} clicks, ${this.fields} fields`);
    expect(this.clicks).toBeLessThanOrEqual(6);
    expect(this.fields).toBeLessThanOrEqual(1);
  }
}

test('find the hot cable', async ({ page }) => {
  const load = setInterval(() => m.control('count "leaf 2" 3 12 200000000'), 300);
  try {
    const user = await User.at(page);
    await user.choose(page.getByLabel('colour of cables'), 'traffic');
    await slow(page.locator('.picture .hottest[data-line]')).toHaveCount(1);
    await user.click(page.locator('.picture .hottest[data-line]').first());
    await slow(page.getByRole('heading', { name: /^(leaf 2\[3\]|spine)/ })).toBeVisible();
    await user.click(page.getByRole('link', { name: 'Its last hour' }));
    await slow(page.getByRole('img', { name: 'Sent and received' })).toBeVisible();
    user.done('the hot cable');
  } finally {
    clearInterval(load);
  }
});

test('why is this pair slow', async ({ page }) => {
  const user = await User.at(page);
  await user.click(page.getByRole('button', { name: 'leaf 1' }).first());
  await user.click(page.getByRole('complementary').getByRole('link', { name: /^host / }).first());
  await user.click(page.getByRole('link', { name: 'Paths from here' }));
  await user.type(page.getByLabel('to', { exact: true }), 'host 7');
  await slow(page.getByText('The busiest cable on the way')).toBeVisible();
  user.done('the slow pair');
});

test('may I pull this spine', async ({ page }) => {
  const user = await User.at(page);
  await user.click(page.getByRole('button', { name: 'spine 1' }).first());
  await user.click(page.getByRole('link', { name: 'What if it fails?' }));
  await slow(page.getByText(/^(Safe|Not safe)$/)).toBeVisible();
  user.done('the spine');
});

test('which engine', async ({ page }) => {
  const user = await User.at(page);
  await user.click(user.view('Compare'));
  await user.click(page.getByRole('button', { name: 'Compare' }));
  await slow(page.getByText('Recommended:')).toBeVisible({ timeout: 60_000 });
  user.done('the engine');
});

test('what happened last night', async ({ page }) => {
  m.control('link "leaf 1" 3 down');
  const user = await User.at(page);
  await user.click(user.view('Live'));
  await user.choose(page.getByLabel(/^last/), '86400');
  await slow(page.locator('.timeline .cell.notice, .timeline .cell.warning').last()).toBeVisible();
  await user.click(page.locator('.timeline .cell.notice, .timeline .cell.warning').last());
  await slow(page.getByRole('button', { name: /^until / })).toBeVisible();
  await slow(page.locator('.events').getByText(/link removed: .*leaf 1/).first()).toBeVisible();
  user.done('last night');
});
