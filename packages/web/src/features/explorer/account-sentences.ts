import { number } from '../../lib/format.ts';
import type { Words } from '../../lib/words.ts';
import { fieldsOf, textOf, textsOf, type Fields } from './action-fields.ts';
import type { Sentence } from './sentence.ts';

/** Of what moves money, and of keys. */
export function accountSentences(action: Fields, t: Words): readonly Sentence[] {
  const text = accountText(action, t);
  return text === undefined ? [] : [{ text }];
}

function accountText(action: Fields, t: Words): string | undefined {
  const amount = number(textOf(action['amount']));
  const destination = textOf(action['destination']);
  const builder = textOf(action['builder']);
  switch (action['type']) {
    case 'updatePositionMode':
      return textOf(action['positionMode']).toLowerCase() === 'hedge'
        ? t('explorer.says.hedge')
        : t('explorer.says.oneWay');
    case 'tokenSend': {
      const from = subAccount(action['fromAccountType'], t);
      const to = subAccount(action['toAccountType'], t);
      return t('explorer.says.send', { amount, from, to, destination });
    }
    case 'withdraw3':
      return t('explorer.says.withdraw', { amount, destination });
    case 'approveAgent': {
      const [agent, name] = [textOf(action['agentAddress']), textOf(action['agentName'])];
      return name === ''
        ? t('explorer.says.agentUnnamed', { agent })
        : t('explorer.says.agent', { agent, name });
    }
    case 'approveBuilderFee':
      return t('explorer.says.builder', { builder, rate: textOf(action['maxFeeRate']) });
    case 'revokeBuilderFee':
      return t('explorer.says.revokeBuilder', { builder });
    case 'claimBuilderRewards':
      return t('explorer.says.claim');
    case 'convertToMultiSigUser':
      return signersText(textOf(action['signers']), t);
    default:
      return undefined;
  }
}

function subAccount(type: unknown, t: Words): string {
  return textOf(type).toLowerCase() === 'outcome'
    ? t('explorer.says.outcome')
    : t('explorer.says.perp');
}

/** The set of signers is a text inside the request. */
function signersText(json: string, t: Words): string {
  let set: unknown = null;
  try {
    set = JSON.parse(json);
  } catch {
    // What nobody can read changed nothing; the error beside it says so.
  }
  const { authorizedUsers, threshold } = fieldsOf(set);
  const users = textsOf(authorizedUsers);
  if (users.length === 0) return t('explorer.says.ordinary');
  return t('explorer.says.signers', { count: Number(threshold), users: users.join(', ') });
}
