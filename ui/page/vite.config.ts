import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// The API of a server that runs already, for npm run dev: WEFT=http://127.0.0.1:8080
const server = process.env['WEFT'] ?? 'http://127.0.0.1:8080';

// The first file asks the first questions. The browser loads that of the page beside it.
const preloadApp: Plugin = {
  name: 'preload-app',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk' && file.name === 'app')
        .map((file) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file.fileName}` }, injectTo: 'head' })),
  },
};

export default defineConfig({
  plugins: [svelte(), preloadApp],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the policy allows no inline scripts and styles
  },
  // The server refuses requests from other origins, so the proxy speaks as its own page.
  server: { proxy: { '/v1': { target: server, changeOrigin: true, headers: { origin: server } } } },
});
