import { useQuery } from '@tanstack/react-query';
import { useWords } from '../../../lib/words.ts';
import { reader } from '../../../market/venue.ts';
import { Code } from '../../../ui/code.tsx';

/** Who signs for the account, where that is more than its own key. */
export function MultiSig({ user }: { readonly user: string }) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['multiSigSigners', user],
    queryFn: ({ signal }) => reader.info.multiSigSigners({ user }, { signal }),
    staleTime: 0,
  });
  if (data === undefined) return null;
  return (
    <div className="flex flex-col gap-2 px-4 pb-4 text-12">
      {data === null ? (
        <p>{t('account.ordinary')}</p>
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
        </>
      )}
    </div>
  );
}
