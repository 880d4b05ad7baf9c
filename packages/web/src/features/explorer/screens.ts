import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/explorer', load: () => import('./explorer-screen.tsx') },
  { path: '/explorer/block/$height', load: () => import('./block-screen.tsx') },
  { path: '/explorer/tx/$hash', load: () => import('./tx-screen.tsx') },
  { path: '/explorer/address/$address', load: () => import('./address-screen.tsx') },
];
