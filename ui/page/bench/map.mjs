// Measures the map: time from opening a link to the painted picture, frames while it is dragged, and
// the time to the first answer about a failure. A benchmark, not a test; weft ui runs already:
//
//   node bench/map.mjs http://127.0.0.1:8080 [FORMULA...]
import { chromium } from '@playwright/test';

const [base = 'http://127.0.0.1:8080', ...given] = process.argv.slice(2);
const formulas = given.length ? given : ['rlft(4,2)', 'rlft(36,2)', 'rlft(36,3)'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
console.log('fabric, first paint (s), again (s), frames per second while dragging, first answer about a failure (s)');
for (const formula of formulas) {
  // The page is a new tab, and the browser's first page of weft. Chromium loads parts of its own in
  // each new window, such as the list below the address bar, on one core for a second.
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const window = await context.newPage();
  await window.waitForTimeout(5000);
  const page = await context.newPage();
  const q = `fabric=${encodeURIComponent(formula)}`;
  const paint = async () => {
    const from = Date.now();
    await page.goto(`${base}/map?${q}`);
    await page.waitForSelector('.picture .box', { timeout: 120_000 });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return (Date.now() - from) / 1000;
  };
  const times = [await paint(), await paint()];
  // A drag that the page sees as fast as it can paint.
  const frames = await page.evaluate(async () => {
    const at = document.querySelector('.picture');
    const send = (type, x) => at.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: x, clientY: 400, pointerId: 1 }));
    at.setPointerCapture = () => {};
    send('pointerdown', 500);
    const from = performance.now();
    let n = 0;
    while (performance.now() - from < 3000) {
      send('pointermove', 500 + 100 * Math.sin(n++ / 10));
      await new Promise((done) => requestAnimationFrame(done));
    }
    const rate = (1000 * n) / (performance.now() - from);
    send('pointerup', 500);
    return rate;
  });
  const ask = (body) =>
    page.evaluate(
      async ([formula, body]) => {
        const list = (await (await fetch('/v1/fabrics')).json()).fabrics;
        const id = list.find((f) => f.name === formula).id;
        const from = performance.now();
        const answer = await fetch(`/v1/fabrics/${id}/whatif`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
        await answer.text();
        return answer.ok ? (performance.now() - from) / 1000 : NaN;
      },
      [formula, body],
    );
  const what = { engines: 'updn', changes: [{ kind: 'fail', what: 'leaf 2' }] };
  await ask(what); // routes the fabric
  const first = await ask({ ...what, changes: [{ kind: 'fail', what: 'leaf 1' }] });
  console.log([formula, ...times.map((t) => t.toFixed(2)), frames.toFixed(1), first.toFixed(2)].join(', '));
  await context.close();
}
await browser.close();
