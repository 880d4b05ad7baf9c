import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { NoAccount } from '../../session/no-account.tsx';
import { useIsSessionLoaded, useSession } from '../../session/use-session.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { MoneyTab } from './money/money-tab.tsx';
import { texts } from 'words:account';

addWords(texts);

// Money is what most come for; the rest is loaded when it is opened.
const KeysTab = lazy(async () => ({ default: (await import('./key-ring/keys-tab.tsx')).KeysTab }));
const PreferencesTab = lazy(async () => ({
  default: (await import('./preferences-tab.tsx')).PreferencesTab,
}));

const TABS = ['money', 'keys', 'preferences'] as const;

/** Money in and out, the keys that act, and how the page looks. */
export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.account'));
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const navigate = useNavigate();
  const search: { readonly tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((each) => each === search.tab) ?? 'money';
  if (!isLoaded) return null;
  if (session === undefined) return <NoAccount title={t('account.none')} />;
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h1 className="text-20 font-semibold">{t('nav.account')}</h1>
        <Badge tone={session.kind === 'spectator' ? 'warning' : 'plain'}>
          {t(`account.kind.${session.kind}`)}
        </Badge>
        <span className="flex min-w-0 items-center gap-2">
          <code className="min-w-0 font-mono text-11 break-all text-muted tablet:text-12">
            {session.address}
          </code>
          <CopyButton text={session.address} />
        </span>
      </div>
      <div className="flex-1">
        <Suspense>
          <Tabs
            label={t('nav.account')}
            value={tab}
            onChange={(next) => void navigate({ to: '/account', search: { tab: next } })}
            tabs={[
              {
                value: 'money',
                label: t('account.money'),
                content: <MoneyTab session={session} />,
              },
              { value: 'keys', label: t('account.keys'), content: <KeysTab session={session} /> },
              {
                value: 'preferences',
                label: t('account.preferences'),
                content: <PreferencesTab />,
              },
            ]}
          />
        </Suspense>
      </div>
    </div>
  );
}
