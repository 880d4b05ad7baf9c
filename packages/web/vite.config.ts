import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { wordsPlugin } from './build/words-plugin.ts';

/** The page as static files; who changes it runs `npx vite packages/web` against a venue on the usual port. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), wordsPlugin()],
  // The SDK falls back on `ws` where the host has no sockets; a browser has them.
  resolve: { alias: { ws: `${import.meta.dirname}/build/no-ws.ts` } },
  build: {
    outDir: 'dist/page',
    emptyOutDir: true,
    target: 'es2023',
    // Small pictures and fonts stay files: the policy of the page lets nothing else in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: Object.fromEntries(
      ['/info', '/exchange', '/account-status', '/request-fund', '/export', '/docs'].map((path) => [
        path,
        'http://127.0.0.1:8690',
      ]),
    ),
  },
});
