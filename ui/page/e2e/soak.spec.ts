// 2,000 rounds and 50,000 events through a manager's stream: page and manager stay as large as they
// are. It takes minutes: WEFT_SOAK=1, or 0.1 for a tenth.
import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { login, Manager } from './manager';

const part = Number(process.env['WEFT_SOAK'] ?? 0);
test.skip(!part, 'WEFT_SOAK is not set');
test.setTimeout(3_600_000);

test('a long stream', async ({ page }) => {
  const m = new Manager();
  await m.emulate('rlft(4,2)');
  await m.start();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');

  async function feed(rounds: number, refusals: number) {
    for (let i = 0; i < rounds; i++) {
      const before = (await m.ask('GET', '/v1/status')).last_round.number;
      await m.ask('POST', '/v1/resweep');
      await Promise.all(Array.from({ length: refusals }, () => m.ask('POST', '/v1/undrain?name=nobody'))); // an event each
      while ((await m.ask('GET', '/v1/status')).last_round.number === before) await new Promise((done) => setTimeout(done, 5));
    }
  }

  async function measure() {
    const { run } = await m.ask('GET', '/v1/status');
    const events = await (await m.get('/v1/events')).text();
    const last = JSON.parse(events.trim().split('\n').at(-1) ?? '{}').number as number;
    await page.waitForTimeout(3000);
    for (let i = 0; i < 3; i++) await cdp.send('HeapProfiler.collectGarbage');
    const by = new Map((await cdp.send('Performance.getMetrics')).metrics.map((x) => [x.name, x.value]));
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${m.sm?.pid}/status`, 'utf8'))?.[1]);
    const metrics = await (await m.get('/metrics')).text();
    return {
      run, events: last, rounds: (await m.ask('GET', '/v1/status')).last_round.number as number, seen: await page.locator('.events tbody tr').count(),
      heap: by.get('JSHeapUsedSize') ?? NaN, nodes: by.get('Nodes') ?? NaN, listeners: by.get('JSEventListeners') ?? NaN, rss: rss * 1024,
      goHeap: Number(/^go_memstats_heap_alloc_bytes (\S+)/m.exec(metrics)?.[1] ?? NaN),
    };
  }

  try {
    await login(page, m, '/live');
    await expect(page.getByText(/SUBNET UP, by/)).toBeVisible({ timeout: 60_000 });
    await feed(Math.ceil(200 * part), 24); // the lists of page and manager are full
    const before = await measure();
    await feed(Math.ceil(2000 * part), 24);
    const after = await measure();
    console.log(JSON.stringify({ before, after, heap: after.heap / before.heap, rss: after.rss / before.rss, nodes: after.nodes / before.nodes }, null, 1));
    expect(after.events - before.events).toBeGreaterThanOrEqual(50_000 * part);
    expect(after.seen).toBe(200);
    expect(after.heap / before.heap).toBeLessThan(1.1);
    expect(after.nodes / before.nodes).toBeLessThan(1.1);
    expect(after.rss / before.rss).toBeLessThan(1.1);
  } finally {
    await m.end();
  }
});
