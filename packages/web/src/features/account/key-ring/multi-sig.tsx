import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useWords } from '../../../lib/words.ts';
import { reader } from '../../../market/venue.ts';
import type { Session } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';

const ConvertDialog = lazy(async () => ({
  default: (await import('./convert-dialog.tsx')).ConvertDialog,
}));

/** Who signs for the account, where that is more than its own key. */
export function MultiSig({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address: user, owner } = session;
  const [isConverting, setIsConverting] = useState(false);
  const { data } = useQuery({
    queryKey: ['multiSigSigners', user],
    queryFn: ({ signal }) => reader.info.multiSigSigners({ user }, { signal }),
    staleTime: 0,
  });
  if (data === undefined) return null;
  return (
    <div className="flex flex-col gap-2 px-4 pb-4 text-12">
      {data === null ? (
        <>
          <p>{t('account.ordinary')}</p>
          {owner !== undefined && (
            <span>
              <Button onClick={() => setIsConverting(true)}>{t('account.convert')}</Button>
            </span>
          )}
        </>
      ) : (
        <>
          <p>
            {t('account.threshold', {
              threshold: data.threshold,
              count: data.authorizedUsers.length,
            })}
          </p>
          <ul className="flex flex-col gap-1">
            {data.authorizedUsers.map((signer) => (
              <li key={signer}>
                <Code>{signer}</Code>
              </li>
            ))}
          </ul>
          <p className="text-muted">{t('account.convertedText')}</p>
        </>
      )}
      {isConverting && owner !== undefined && data === null && (
        <Suspense>
          <ConvertDialog session={session} owner={owner} onClose={() => setIsConverting(false)} />
        </Suspense>
      )}
    </div>
  );
}
