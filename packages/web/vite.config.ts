import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compileHintsPlugin } from './build/compile-hints-plugin.ts';
import { wordsPlugin } from './build/words-plugin.ts';

/** Opened by a press. */
const OVERLAYS =
  /\/ui\/(?:dialog-frame|menu-panel|toast-list|tooltip-panel)\.tsx|\/shell\/(?:connect|help)-dialog/;
/** What screens share and is small; curves and tables are for those that have some. */
const SHARED =
  /\/web\/src\/(?:lib|market|ui)\/(?!plot|use-plot|table|dialog-frame|menu-panel|toast-list|tooltip-panel|series\/|explorer)|\/session\/(?:first-steps|let-trade|sent-once)/;

/**
 * A file for what is always loaded together: each request costs a header and a turn. Without these groups the bundler
 * makes a file for every set of screens that share something, and most of those are smaller than their headers.
 */
const GROUPS = [
  {
    // What every screen runs on and seldom changes: kept by browsers over many versions of the page.
    name: 'base',
    test: /node_modules\/(?:react|react-dom|scheduler|zustand|use-sync-external-store|@tanstack\/(?:history|query-core|react-query|react-router|react-store|router-core|store))\//,
    priority: 9,
  },
  { name: 'shell', tags: ['$initial' as const], priority: 8 },
  { name: 'shared', test: SHARED, priority: 7 },
  {
    name: 'price-chart',
    test: /\/chart\/(?:price-chart|make-chart|line-overlay|use-[a-z-]+)|\/(?:lightweight-charts|fancy-canvas)\//,
    // What it shares with the panel around it comes with that.
    includeDependenciesRecursively: false,
    priority: 6,
  },
  { name: 'plot', test: /\/ui\/plot\.ts/, priority: 6 },
  { name: 'table', test: /\/ui\/table\.tsx/, priority: 5 },
  { name: 'overlays', test: OVERLAYS, priority: 4 },
];

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
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
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
