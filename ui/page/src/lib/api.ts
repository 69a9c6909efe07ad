// The client of the API: typed by openapi.json (npm run client), so a change there breaks the build
// here. Each call returns the document or throws a Refused with the server's words.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.gen';
import { takeOrAsk } from './kept';
import { lines } from './lines';

type Schemas = components['schemas'];
export type About = Schemas['study.page.About'];
export type Opened = Schemas['study.page.Opened'];
export type Open = Schemas['study.page.Open'];
export type Look = Schemas['study.page.Look'];
export type Change = Schemas['study.whatif.Change'];
export type WhatIf = Schemas['study.page.WhatIf'];
export type State = Schemas['study.whatif.State'];
export type Part = Schemas['study.page.Part'];
export type Found = Schemas['study.page.Found'];
export type Paths = Schemas['study.page.Paths'];
export type Ways = Pick<Paths, 'there' | 'back' | 'most_pairs' | 'mean_pairs'>;
export type Trace = Schemas['study.page.Trace'];
export type Hop = Schemas['study.page.Hop'];
export type PortName = Schemas['fabric.PortName'];
export type Proof = Schemas['study.page.Proof'];
export type Step = Schemas['study.page.Step'];
export type Finding = Schemas['judge.check.Finding'];
export type Mixture = Schemas['study.page.Mixture'];
export type Compared = Schemas['study.page.Compared'];
export type Comparison = Schemas['study.compare.Comparison'];
export type Row = Schemas['study.compare.Row'];
export type Picture = Schemas['fabric.layout.Picture'];
export type Line = Schemas['fabric.layout.Line'];
export type Box = Schemas['fabric.layout.Box'];
export type Application = Schemas['study.page.Application'];
export type Progress = Schemas['study.page.Progress'];
export type Job = Schemas['study.app.Job'];
export type Status = Schemas['sm.service.Status'];
export type LogLine = Schemas['sm.terms.LogLine'];
export type Running = Schemas['sm.service.Job'];
export type Code = Schemas['sm.service.Code'];
export type Hot = Schemas['sm.perf.Hot'];
export type Moment = Schemas['sm.telemetry.Moment'];
export type Series = Schemas['sm.telemetry.Series'];
export type Sweep = Schemas['lab.browse.description'];
export type Asked = Schemas['lab.browse.asked'];
export type ChartPoint = Schemas['lab.browse.point'];
export type PlanChange = Schemas['study.routing.Change'];

/** The client, for endpoints that have no function here. */
export const client = createClient<paths>({ baseUrl: location.origin, fetch: patient });

/** Asks again while the server is at another question, which it answers one at a time. */
async function patient(request: Request): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(request.clone());
    if (answer.status !== 429 || tries === 300) return answer;
    await new Promise((again) => setTimeout(again, 200));
    request.signal.throwIfAborted();
  }
}

/** An unsuccessful request. Status 0: the server cannot be reached. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

type Result<T> = Promise<{ data?: T; error?: { error: string }; response: Response }>;

/** Returns the document of a request, or throws. */
export async function take<T>(request: Result<T>): Promise<T> {
  let result: Awaited<Result<T>>;
  try {
    result = await request;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new Refused(0, 'The server does not answer. Is it running?');
  }
  if (!result.response.ok) {
    throw new Refused(result.response.status, result.error?.error ?? result.response.statusText);
  }
  return result.data as T;
}

let last: Promise<unknown> = Promise.resolve();

/** Does work when that before it is done: the server takes one question at a time. */
function turn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const mine = last.then(() => {
    signal.throwIfAborted();
    return work();
  });
  last = mine.catch(() => undefined);
  return mine;
}

/** Asks a question in its turn. */
const inTurn = <T>(signal: AbortSignal, ask: () => Result<T>): Promise<T> => turn(signal, () => take(ask()));

const of = (id: string) => ({ path: { id } });

export const about = () => takeOrAsk('page', () => take(client.GET('/v1/page')));
export const fabrics = () => takeOrAsk('fabrics', async () => (await take(client.GET('/v1/fabrics'))).fabrics ?? []);
export const open = (body: Open) => take(client.POST('/v1/fabrics', { body }));
export const login = (token: string) => take(client.POST('/v1/session', { body: { token } }));
export const logout = () => take(client.DELETE('/v1/session'));
/** The map that parameters of a link describe. */
export const lookOf = (parameter: (name: string) => string): Look => {
  const around = parameter('around');
  return { colour: parameter('colour'), engines: parameter('engines'), ...(around && { around }) };
};
/** The question for a picture, as a key. */
export const pictureOf = (id: string, body: Look) => `picture ${id} ${JSON.stringify(body)}`;
export const picture = (id: string, body: Look, signal: AbortSignal) =>
  takeOrAsk(pictureOf(id, body), () => inTurn(signal, () => client.POST('/v1/fabrics/{id}/map', { params: of(id), body, signal })));
export const svg = (id: string, body: Look) => inTurn(new AbortController().signal, () => client.POST('/v1/fabrics/{id}/svg', { params: of(id), body }));
export const whatIf = (id: string, body: WhatIf, signal: AbortSignal) =>
  inTurn(signal, () => client.POST('/v1/fabrics/{id}/whatif', { params: of(id), body, signal }));
export const search = (id: string, q: string, signal: AbortSignal) =>
  take(client.GET('/v1/fabrics/{id}/parts', { params: { ...of(id), query: { q } }, signal }));
export const part = (id: string, name: string, signal: AbortSignal) =>
  take(client.GET('/v1/fabrics/{id}/part', { params: { ...of(id), query: { name } }, signal }));
export const trace = (id: string, body: Schemas['study.page.Pair'], signal: AbortSignal) =>
  inTurn(signal, () => client.POST('/v1/fabrics/{id}/path', { params: of(id), body, signal }));
export const engines = async () => (await take(client.GET('/v1/engines'))).engines ?? [];
export const proof = (id: string, engines: string, signal: AbortSignal) =>
  inTurn(signal, () => client.POST('/v1/fabrics/{id}/proof', { params: of(id), body: { engines }, signal }));
export const mixture = (id: string, engines: string, after: string, signal: AbortSignal) =>
  inTurn(signal, () => client.POST('/v1/fabrics/{id}/mixture', { params: of(id), body: { engines, after: { engines: after } }, signal }));
export const compare = (body: Compared, signal: AbortSignal) => inTurn(signal, () => client.POST('/v1/compare', { body, signal }));
/** Runs applications; hear gets each line before the last one, which has the run. */
export const run = (id: string, body: Application, hear: (line: Progress) => void, signal: AbortSignal): Promise<Progress> =>
  turn(signal, async () => {
    const answer = await take(client.POST('/v1/fabrics/{id}/app', { params: of(id), body, signal, parseAs: 'stream' }));
    if (answer) {
      for await (const text of lines(answer)) {
        const line = JSON.parse(text) as Progress;
        if (line.error) throw new Refused(409, line.error);
        if (line.run) return line;
        hear(line);
      }
    }
    throw new Refused(0, 'The server ended the answer before the run was over.');
  });

/** Finds an open fabric by its id or its formula; a formula is opened if it is not open. */
export const find = (name: string): Promise<Opened> =>
  takeOrAsk(`fabric ${name}`, async () => {
    const found = (await fabrics()).find((f) => f.id === name || (f.format === 'formula' && f.name === name));
    if (found) return found;
    if (name.includes('(')) return open({ formula: name });
    throw new Refused(404, name === 'subnet' ? 'The manager has not written any routes yet.' : 'This fabric is no longer open. Open its file again on the start page.');
  });
export const codes = async () => (await take(client.GET('/v1/codes'))).codes ?? [];
export const links = (signal: AbortSignal) => take(client.GET('/v1/links', { signal }));
export const hot = (at: string, signal: AbortSignal) => take(client.GET('/v1/hot', { params: { query: { at } }, signal }));
export const history = (port: string, signal: AbortSignal) => take(client.GET('/v1/history', { params: { query: { port } }, signal }));
export const partitions = (signal: AbortSignal) => take(client.GET('/v1/partitions', { signal }));
export const plans = async (signal: AbortSignal) => (await take(client.GET('/v1/plans', { signal }))).plans ?? [];
export const comparePlans = (before: number, after: number, signal: AbortSignal) =>
  take(client.POST('/v1/fabrics/{id}/plans', { params: of('subnet'), body: { before, after }, signal }));
export const jobs = (signal: AbortSignal) => take(client.GET('/v1/jobs', { signal }));
export const jobShares = (signal: AbortSignal) => inTurn(signal, () => client.GET('/v1/jobs/shares', { signal }));
export const drain = (name: string) => take(client.POST('/v1/drain', { params: { query: { name } } }));
export const undrain = (name: string) => take(client.POST('/v1/undrain', { params: { query: { name } } }));
export const resweep = () => take(client.POST('/v1/resweep'));

let meanings: Promise<Map<string, string>> | undefined;

/** The terms of the glossary with their meanings; they are asked for once. */
export function glossary(): Promise<Map<string, string>> {
  meanings ??= take(client.GET('/v1/glossary')).then((g) => new Map((g.terms ?? []).map((t) => [t.term, t.meaning])));
  meanings.catch(() => (meanings = undefined)); // ask again later
  return meanings;
}

export const sweeps = () => take(client.GET('/v1/sweeps'));
export const openSweep = (body: Schemas['lab.browse.source']) => inTurn(new AbortController().signal, () => client.POST('/v1/sweeps', { body }));
export const closeSweep = (id: string) => take(client.DELETE('/v1/sweeps/{id}', { params: of(id) }));
export const chart = (id: string, body: Asked, signal: AbortSignal) => inTurn(signal, () => client.POST('/v1/sweeps/{id}/chart', { params: of(id), body, signal }));
export const sweepRows = (id: string, body: Schemas['lab.browse.picked'], signal: AbortSignal) =>
  inTurn(signal, () => client.POST('/v1/sweeps/{id}/rows', { params: of(id), body, signal }));
export const sweepRow = (id: string, number: number, signal: AbortSignal) => take(client.GET('/v1/sweeps/{id}/row', { params: { ...of(id), query: { number } }, signal }));

/** Finds an open sweep by its id. The example is run if it is not open. */
export async function findSweep(id: string): Promise<Sweep> {
  if ((await sweeps()).sweeps?.some((s) => s.id === id)) return take(client.GET('/v1/sweeps/{id}', { params: of(id) }));
  if (id === 'example') return openSweep({ example: true });
  throw new Refused(404, 'This sweep is no longer open. Drop its file again, or give its store to weft ui.');
}
