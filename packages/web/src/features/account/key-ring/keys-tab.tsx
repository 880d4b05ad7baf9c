import { useId, type ReactNode } from 'react';
import { useWords } from '../../../lib/words.ts';
import { ApprovedBuilders } from '../../../session/approved-builders.tsx';
import type { Session } from '../../../session/session.ts';
import { Agents } from './agents.tsx';
import { BrowserKeys } from './browser-keys.tsx';
import { MultiSig } from './multi-sig.tsx';

/** Who may act for the account, and which of the keys lie in this browser. */
export function KeysTab({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address, owner } = session;
  return (
    <div className="grid desktop:min-h-[calc(100dvh-140px)] desktop:grid-cols-2">
      <div className="min-w-0 divide-y divide-line border-line desktop:border-e">
        <Part title={t('account.agents')} text={t('account.agentsText')}>
          <Agents session={session} />
        </Part>
        <Part title={t('builder.approved')} text={t('account.buildersText')}>
          <ApprovedBuilders user={address} owner={owner} />
        </Part>
      </div>
      <div className="min-w-0 divide-y divide-line max-desktop:border-t max-desktop:border-line">
        {session.kind !== 'spectator' && (
          <Part title={t('account.browserKeys')} text={t('account.browserKeysText')}>
            <BrowserKeys session={session} />
          </Part>
        )}
        <Part title={t('account.multiSig')} text={t('account.multiSigText')}>
          <MultiSig session={session} />
        </Part>
      </div>
    </div>
  );
}

function Part({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="px-4 pt-4 pb-2">
        <h2 id={id} className="text-15 font-semibold">
          {title}
        </h2>
        <p className="text-12 text-muted">{text}</p>
      </div>
      {children}
    </section>
  );
}
