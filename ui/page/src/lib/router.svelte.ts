// The state of the page is its URL: the path names the view, the query has the rest. So every state
// is a link.

/** The views, in the order of the navigation. */
export const views = [
  { path: '/map', name: 'Map', says: 'The switches and cables of the fabric.' },
  { path: '/path', name: 'Path', says: 'The way of a packet from one host to another, and back.' },
  { path: '/proof', name: 'Proof', says: 'Whether a routing reaches every host and cannot deadlock.' },
  { path: '/compare', name: 'Compare', says: 'Engines and fabrics side by side.' },
  { path: '/whatif', name: 'What if', says: 'What failures, drains and new parts would do.' },
  { path: '/live', name: 'Live', says: 'What the manager does now.' },
  { path: '/lab', name: 'Lab', says: 'Sweeps as charts.' },
  { path: '/applications', name: 'Applications', says: 'Runs of applications in time.' },
] as const;

const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

let now = $state.raw(read());
addEventListener('popstate', () => (now = read()));

/** The place where the page is. */
export const route = {
  get path() {
    return now.path;
  },
  /** A parameter of the query, '' without it. */
  get(name: string): string {
    return now.query.get(name) ?? '';
  },
};

/** The link to a view. Parameters that are '' are left out; the fabric stays. */
export function link(path: string, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ fabric: route.get('fabric'), ...parameters })) {
    if (value) query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** Goes to a link. replace: without a step in the history of the browser. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  now = read();
}

/** Changes parameters of the query, and stays in the view. */
export function set(parameters: Record<string, string>, replace = false): void {
  go(link(now.path, { ...Object.fromEntries(now.query), ...parameters }), replace);
}

/** Follows links inside the page without loading it again. For onclick of the whole page. */
export function follow(event: MouseEvent): void {
  const at = (event.target as Element).closest('a');
  if (!at || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const to = new URL(at.getAttribute('href') ?? '', location.href); // links in a picture lack origin
  if (to.origin !== location.origin || at.hasAttribute('target') || at.hasAttribute('download')) return;
  event.preventDefault();
  go(to.pathname + to.search);
}
