/** Of `packages/web/src`: a screen knows the stores and the design system, never another screen. */
export const WEB_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'app', paths: ['app/'], what: 'the program: router, shell, notices' },
  {
    name: 'features',
    paths: ['features/*/'],
    what: 'the screens; they do not import each other',
  },
  {
    name: 'account-tables',
    paths: ['account-tables/'],
    what: 'tables of an account, shared by screens',
  },
  { name: 'session', paths: ['session/'], what: 'keys and the active account' },
  { name: 'market', paths: ['market/'], what: 'live data: stores over the streams of the SDK' },
  { name: 'ui', paths: ['ui/'], what: 'the design system' },
  { name: 'lib', paths: ['lib/'], what: 'decimal text, format, time, error texts' },
  { name: 'words', paths: ['words/'], what: 'all texts, one file per language' },
];
