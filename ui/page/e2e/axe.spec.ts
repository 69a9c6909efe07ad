import AxeBuilder from '@axe-core/playwright';
import { expect, login, test, token } from './weft';

// States of the page: each view that is there, with a fabric and without, and errors.
const views = ['/path?fabric=rlft(4,2)&from=host+0&to=host+7&fail=leaf+0[4]', '/proof?fabric=torus(4x4)&engines=sssp&after=updn', '/compare?fabric=torus(4x4)', '/compare?fabric=torus(4x4)&rows=updn,minhop,ftree&sort=ebb'];
const applications = ['/applications?fabric=rlft(4,2)&programs=training(data=4,layers=2,hidden=64);barrier(ranks=4)@1us&engines=updn&placement=random:1', '/applications?fabric=rlft(4,2)&programs=none'];
const lab = ['/lab', '/lab?sweep=example', '/lab?sweep=example&of=nue&at=none', '/lab?sweep=example&y=ebb_share&x=case'];
const states = [...views, ...applications, ...lab, '/', '/map', '/map?fabric=rlft(4,2)', '/map?fabric=rlft(4,2)&part=leaf+1&colour=load', '/map?fabric=rlft(4,2)&part=none', '/path?fabric=rlft(4,2)', '/path?fabric=rlft(4,2)&from=host+0&to=host+7', '/map?fabric=none', '/whatif?fabric=rlft(4,2)', '/whatif?fabric=rlft(4,2)&engines=updn&changes=fail+leaf+1'];

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    test('axe finds nothing of level A or AA', async ({ page, sm }) => {
      test.setTimeout(300_000);
      const check = async (state: string) => {
        await expect(page.getByRole('status')).toHaveCount(0);
        const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
        expect.soft(found.violations.map((v) => `${state}: ${v.id}: ${v.help}: ${v.nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
      };
      for (const state of states) {
        await page.goto(state);
        await expect(page.locator('main')).toBeVisible();
        await check(state);
      }
      const url = await sm('rlft(4,2)');
      await page.goto(url);
      await expect(page.getByLabel('Token of the manager')).toBeVisible();
      await check('login');
      await login(page, url);
      await expect(page.locator('.picture svg')).toBeVisible();
      await check('manager');
      for (const [id, nodes] of [['a', 'host[0-2]'], ['b', 'host[2-5]']]) {
        const answer = await fetch(`${url}/v1/jobs/${id}`, { method: 'PUT', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify({ nodes }) });
        expect(answer.status).toBe(200);
      }
      for (const tab of ['now', 'cables', 'drains', 'partitions', 'jobs', 'jobs&job=a', 'plans']) {
        await page.goto(`${url}/live?tab=${tab}`);
        await expect(page.getByRole('heading', { name: 'Live' })).toBeVisible();
        await check(`live ${tab}`);
      }
    });
  });
}
