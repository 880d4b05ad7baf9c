import { expect, test } from 'vitest';
import { PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';

test('R-determinism: a second genesis is rejected, changes nothing and does not block later commands', () => {
  const scenario = Scenario.open();
  const before = scenario.state.parameters;
  const { outcomes } = scenario.block(
    { type: 'genesis', parameters: { ...PARAMETERS, serviceNetwork: 'another' } },
    { type: 'registerPerp', perp: PERP },
  );
  expect(outcomes[0]).toEqual({
    reject: { reason: 'definitionInvalid', field: 'genesis', why: 'the venue exists' },
  });
  expect(outcomes[1]?.reject?.reason).toBe('instrumentIdUsed');
  expect(scenario.state.parameters).toBe(before);
});
