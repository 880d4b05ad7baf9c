import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compileHintsPlugin } from './build/compile-hints-plugin.ts';
import { wordsPlugin } from './build/words-plugin.ts';

/** What every screen runs on and seldom changes: one file, kept by browsers over many versions of the page. */
const BASE =
  /node_modules\/(?:react|react-dom|scheduler|i18next|react-i18next|zustand|use-sync-external-store|@tanstack\/(?:history|query-core|react-query|react-router|react-store|router-core|store))\//;

/** The page as static files; who changes it runs `npx vite packages/web` against a venue on the usual port. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), wordsPlugin(), compileHintsPlugin()],
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
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', test: BASE }] } } },
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
