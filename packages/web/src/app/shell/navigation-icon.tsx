const PATHS: Readonly<Record<string, string>> = {
  '/': 'M2.5 4.5h13M2.5 9h13M2.5 13.5h13',
  '/trade': 'M5 2.5v3M5 12.5v3M3.5 5.5h3v7h-3zM13 1.5v4M13 10.5v4M11.5 5.5h3v5h-3z',
  '/events': 'M2.5 15.5v-5M7 15.5v-9M11.5 15.5V9M16 15.5V2.5',
  '/portfolio': 'M2.5 5.5h13v10h-13zM6 5.5v-3h6v3',
  '/explorer': 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM12 12l4 4',
};

export function NavigationIcon({ to }: { readonly to: string }) {
  const path = PATHS[to] ?? PATHS[`/${to.split('/')[1] ?? ''}`];
  if (path === undefined) return null;
  return (
    <svg viewBox="0 0 18 18" className="w-4.5" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}
