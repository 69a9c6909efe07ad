// Measures the repairs of a manager: the time from the first sign of a pulled cable to the end of
// the round that routes around it, alone and while eight clients ask heavy questions without pause,
// in turn. Several programs are measured side by side:
//
//   node bench/rounds.mjs FORMULA PULLS WEFT...
//
// FORMULA is a fat-tree of two levels, such as rlft(36,2).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [formula = 'rlft(36,2)', pulls = '30', ...programs] = process.argv.slice(2);
const token = 'a'.repeat(40);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const port = () => new Promise((done) => { const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)); }); });
const middle = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

async function start(program, n) {
  const dir = mkdtempSync(join(tmpdir(), 'weft-rounds-'));
  const at = (name) => join(dir, name);
  writeFileSync(at('tokens'), `bench all ${token}\n`, { mode: 0o600 });
  const name = `weft-rounds-${process.pid}-${n}`;
  const children = [spawn(program, ['emulate', formula, '--name', name, '--control', at('control')], { stdio: 'ignore' })];
  await wait(1000);
  const url = `http://127.0.0.1:${await port()}`;
  children.push(spawn(program, ['sm', '-t', `ibsim:${name}`, '--api', url.slice(7), '--api-tokens', at('tokens'), '--interval', '1s', '--rebalance-after', '0', '--moves-per-minute', '0'], { stdio: 'ignore' }));
  const m = {
    program, url, alone: { repair: [], round: [] }, asked: { repair: [], round: [] }, answers: 0, refusals: 0,
    status: async () => (await fetch(`${url}/v1/status`, { headers })).json(),
    async times() {
      const text = await (await fetch(`${url}/metrics`, { headers })).text();
      const of = (what) => Number(new RegExp(`^weft_sm_${what} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
      return { repairs: of('repair_duration_seconds_count'), repair: of('repair_duration_seconds_sum'), rounds: of('round_duration_seconds_count'), round: of('round_duration_seconds_sum') };
    },
    pull: (leaf, port) => spawnSync(program, ['emulate', 'control', at('control'), `link "leaf ${leaf}" ${port} down`]),
    end() {
      for (const child of children) child.kill();
      rmSync(dir, { recursive: true });
    },
  };
  while (!(await m.status().catch(() => undefined))?.in_force?.state) await wait(200);
  return m;
}

// The questions, each another one every time: nothing that is kept answers them.
let number = 0;
const questions = [
  () => ['fabrics/subnet/whatif', { changes: [{ kind: 'fail', what: `leaf ${number % 30}` }], engines: 'updn', measure: true }],
  () => ['compare', { fabrics: ['subnet'], engines: 'dfsssp', seed: number, runs: 2000 }],
  () => ['fabrics/subnet/map', { colour: 'load', engines: 'minhop', changes: [{ kind: 'fail', what: `leaf ${number % 30}` }] }],
  () => ['fabrics/subnet/mixture', { engines: 'updn', after: { engines: 'dfsssp' } }],
  () => ['compare', { fabrics: ['subnet'], engines: 'auto', seed: number }],
];

async function ask(m, stop) {
  while (!stop.aborted) {
    const [path, body] = questions[number++ % questions.length]();
    try {
      const answer = await fetch(`${m.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal: stop });
      await answer.arrayBuffer();
      if (answer.status === 429) m.refusals++;
      else m.answers++;
      if (answer.status >= 400 && answer.status !== 429) console.error(path, answer.status);
    } catch {
      // aborted
    }
  }
}

const managers = [];
try {
  for (const [n, program] of programs.entries()) managers.push(await start(program, n));
  await wait(3000);
  let pulled = 0;
  for (let i = 0; i < Number(pulls); i++) {
    for (const asked of i % 2 ? [true, false] : [false, true]) {
      pulled++;
      for (const m of managers) {
        const stop = new AbortController();
        const clients = asked ? Array.from({ length: 8 }, () => ask(m, stop.signal)) : [];
        await wait(700);
        const before = await m.times();
        m.pull(pulled % 30, 19 + Math.floor(pulled / 30));
        let now = before;
        while (now.repairs === before.repairs) await wait(100), (now = await m.times());
        stop.abort();
        await Promise.all(clients);
        while ((await m.status()).round_under_way) await wait(50);
        now = await m.times();
        const into = asked ? m.asked : m.alone;
        into.repair.push(((now.repair - before.repair) / (now.repairs - before.repairs)) * 1000);
        into.round.push(((now.round - before.round) / (now.rounds - before.rounds)) * 1000);
      }
    }
    process.stderr.write(`${i + 1} `);
  }
  console.log(`\n${formula}, ${pulls} pulls each, load ${readFileSync('/proc/loadavg', 'utf8').trim()}`);
  for (const m of managers) {
    const of = (list) => `median ${middle(list).toFixed(0)}, worst ${Math.max(...list).toFixed(0)}`;
    console.log(`${m.program}: repair (ms) alone ${of(m.alone.repair)}; asked ${of(m.asked.repair)}; round alone ${of(m.alone.round)}; asked ${of(m.asked.round)}; ${m.answers} answers, ${m.refusals} refusals`);
  }
} finally {
  for (const m of managers) m.end();
}
