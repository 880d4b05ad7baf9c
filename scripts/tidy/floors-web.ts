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
    what: 'the screens of the map; none knows another',
  },
  {
    name: 'account-tables',
    paths: ['account-tables/'],
    what: 'all that an account has and did, wherever it is shown',
  },
  { name: 'session', paths: ['session/'], what: 'keys, and who acts' },
  { name: 'market', paths: ['market/'], what: 'live data: stores over the streams of the SDK' },
  { name: 'ui', paths: ['ui/'], what: 'the design system' },
  { name: 'lib', paths: ['lib/'], what: 'decimal text, format, time, errors in words' },
  { name: 'words', paths: ['words/'], what: 'every text, a file a language' },
];
