import { useNavigate, useSearch } from '@tanstack/react-router';
import { useWords } from '../../../lib/words.ts';
import { useSettings } from '../../../market/queries.ts';
import type { Session } from '../../../session/session.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Balances } from './balances.tsx';
import { DepositForm } from './deposit-form.tsx';
import { FaucetForm } from './faucet-form.tsx';
import { Movements } from './movements.tsx';
import { TransferForm } from './transfer-form.tsx';
import { UnderWay } from './under-way.tsx';
import { WithdrawForm } from './withdraw-form.tsx';

const FORMS = ['deposit', 'withdraw', 'transfer', 'faucet'] as const;

/** What there is, the ways in and out, and where each movement is. */
export function MoneyTab({ session }: { readonly session: Session }) {
  const t = useWords();
  const { data: settings } = useSettings();
  const navigate = useNavigate();
  const search: { readonly do?: unknown } = useSearch({ strict: false });
  const offered = FORMS.filter((form) => form !== 'faucet' || settings?.faucet_amount !== null);
  const form = offered.find((each) => each === search.do) ?? 'deposit';
  const { owner } = session;
  return (
    <div className="flex flex-col">
      <Balances user={session.address} />
      <div className="grid desktop:h-[calc(100dvh-214px)] desktop:grid-cols-[400px_minmax(0,1fr)]">
        <section
          aria-label={t('account.move')}
          className="border-line p-4 max-desktop:border-b desktop:overflow-y-auto desktop:border-e"
        >
          {/* Beside each other on a desk, under each other on a tablet: a form is as wide on both. */}
          <div className="flex flex-col gap-4 tablet:max-w-92">
            <Segmented
              label={t('account.move')}
              value={form}
              onChange={(next) =>
                void navigate({ to: '/account', search: { tab: 'money', do: next }, replace: true })
              }
              segments={offered.map((value) => ({ value, label: t(`account.form.${value}`) }))}
            />
            {owner === undefined || settings === undefined ? (
              <p className="text-12 text-muted">
                {t(session.kind === 'wallet' ? 'account.locked' : 'account.readOnly')}
              </p>
            ) : form === 'deposit' ? (
              <DepositForm session={session} owner={owner} settings={settings} />
            ) : form === 'withdraw' ? (
              <WithdrawForm user={session.address} owner={owner} settings={settings} />
            ) : form === 'transfer' ? (
              <TransferForm user={session.address} owner={owner} />
            ) : (
              <FaucetForm user={session.address} owner={owner} settings={settings} />
            )}
          </div>
        </section>
        <div className="flex min-h-0 min-w-0 flex-col">
          <UnderWay user={session.address} />
          <Movements user={session.address} />
        </div>
      </div>
    </div>
  );
}
