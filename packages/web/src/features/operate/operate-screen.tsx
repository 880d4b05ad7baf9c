import { useNavigate, useSearch } from '@tanstack/react-router';
import type { VenueStatus } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import type { Session } from '../../session/session.ts';
import { useSession } from '../../session/use-session.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Events } from './events.tsx';
import { Fees } from './fees.tsx';
import { Gates } from './gates.tsx';
import { Health } from './health.tsx';
import { Operators } from './operators.tsx';
import { Perps } from './perps.tsx';
import { useStatus } from './use-status.ts';
import { texts } from 'words:operate';

addWords(texts);

const TABS = ['health', 'perps', 'events', 'gates', 'fees', 'operators'] as const;

/** For keys that may: markets, gates, fees. How the venue does, anybody may see. */
export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.operate'));
  const session = useSession();
  const { data: status, error } = useStatus();
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h1 className="text-20 font-semibold">{t('nav.operate')}</h1>
        {status !== undefined && <Roles status={status} session={session} />}
      </div>
      {status === undefined ? (
        error !== null && (
          <EmptyState title={t('operate.unknown')} text={t('operate.unknownText')} />
        )
      ) : (
        <Panels status={status} session={session} />
      )}
    </div>
  );
}

type Needs = { readonly status: VenueStatus; readonly session: Session | undefined };

function Roles({ status, session }: Needs) {
  const t = useWords();
  const isAdmin = session !== undefined && status.admins.includes(session.address);
  const isDeployer = session !== undefined && status.deployers.includes(session.address);
  return (
    <>
      {isAdmin && <Badge tone="accent">{t('operate.youAdmin')}</Badge>}
      {isDeployer && <Badge tone="accent">{t('operate.youDeployer')}</Badge>}
      <p className="w-full text-12 text-muted">
        {isAdmin || isDeployer
          ? t(session.owner === undefined ? 'operate.noKey' : 'operate.intro')
          : t('operate.readOnly')}
      </p>
    </>
  );
}

function Panels({ status, session }: Needs) {
  const t = useWords();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const tab = TABS.find((each) => each === search['tab']) ?? 'health';
  const { address = '', owner } = session ?? {};
  // An operator signs with its own key; its agents do not count.
  const admin = status.admins.includes(address) ? owner : undefined;
  const deployer = status.deployers.includes(address) ? owner : undefined;
  const contents = {
    health: <Health status={status} />,
    perps: <Perps admin={admin} />,
    events: <Events deployer={deployer} />,
    gates: <Gates gates={status.gates} admin={admin} />,
    fees: <Fees admin={admin} />,
    operators: <Operators status={status} admin={admin} />,
  };
  return (
    <div className="min-h-80 flex-1">
      <Tabs
        label={t('nav.operate')}
        value={tab}
        onChange={(next) => {
          void navigate({ to: '/operate', search: { tab: next }, replace: true });
        }}
        tabs={TABS.map((value) => ({
          value,
          label: t(`operate.tab.${value}`),
          content: contents[value],
        }))}
      />
    </div>
  );
}
