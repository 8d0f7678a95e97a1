import assert from 'node:assert/strict';
import { type ConformanceCases, fieldsOf, refused } from './sandbox.ts';

export const validationCases: ConformanceCases = {
  'every field that breaks the schema is named': async (api) => {
    const error = await refused(api.create('a', { size: -1, color: 'green' }), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['spec.color', 'spec.size']);
    assert.deepEqual(error.causes.map(({ reason }) => reason).sort(), ['FieldValueInvalid', 'FieldValueNotSupported']);
  },
  'a required field that is missing is named': async (api) => {
    const error = await refused(api.create('a', { color: 'red' }), 422, 'Invalid');
    assert.deepEqual(error.causes, [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.size' }]);
  },
  'a value of the wrong type is refused': async (api) => {
    const error = await refused(api.create('a', { size: 'large' }), 422, 'Invalid');
    assert.deepEqual(
      error.causes.map(({ reason, field }) => [reason, field]),
      [['FieldValueTypeInvalid', 'spec.size']],
    );
  },
  'a text that is too long is refused': async (api) => {
    const error = await refused(api.create('a', { size: 1, note: 'x'.repeat(21) }), 422, 'Invalid');
    assert.deepEqual(
      error.causes.map(({ reason, field }) => [reason, field]),
      [['FieldValueTooLong', 'spec.note']],
    );
  },
  'fields the schema does not know are dropped': async (api) => {
    assert.deepEqual((await api.create('a', { size: 1, unheardOf: true })).spec, { size: 1, mode: 'fast' });
  },
  'fields the schema does not know are refused when asked to': async (api) => {
    const request = api.connection.request({
      method: 'POST',
      path: api.path(),
      query: { fieldValidation: 'Strict' },
      body: api.widget('a', { size: 1, unheardOf: true }),
    });
    assert.match((await refused(request, 400, 'BadRequest')).message, /unknown field "spec\.unheardOf"/);
  },
  'a kind that keeps unknown fields keeps them': async (api) => {
    const name = api.namespace;
    const object = { apiVersion: 'conformance.test/v1', kind: 'Gadget', metadata: { name }, spec: { any: { thing: [1] } } };
    assert.deepEqual((await api.gadgets.create(object)).spec, { any: { thing: [1] } });
  },
  'defaults are filled in': async (api) => {
    assert.equal((await api.create('a')).spec?.mode, 'fast');
    assert.equal((await api.create('b', { size: 1, mode: 'slow' })).spec?.mode, 'slow');
  },
  'a change that breaks the schema leaves the object as it was': async (api) => {
    const before = await api.create('a');
    await refused(api.patch('a', { spec: { size: -5 } }), 422, 'Invalid');
    assert.deepEqual(await api.get('a'), before);
  },
};
