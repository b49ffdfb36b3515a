import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { awsEndpointUrl, awsRegionIn, readAwsSettings, regionOf } from '../../lib/store/aws/settings.js';
import { folderWith } from '../helpers/command.js';

const CONFIG = `
[default]
region = eu-west-1

[profile dev]
region = eu-central-1
endpoint_url = https://all.test
services = local
ca_bundle = /etc/dev.pem
s3 =
    addressing_style = virtual

[profile plain]
endpoint_url = https://plain.test

[services local]
s3 =
    endpoint_url = https://s3.test/storage
`;

test('without variables and files, there are no settings and no sign of credentials', async () => {
  const settings = await readAwsSettings({});
  const { endpointUrl, region, authorities, addressing, hasCredentials, hasProfile } = settings;
  assert.deepEqual([endpointUrl, region, authorities, addressing], [null, null, null, null]);
  assert.deepEqual([hasCredentials, hasProfile], [false, false]);
  assert.deepEqual(regionOf(settings), { value: 'us-east-1', from: 'the default' });
  assert.equal(regionOf(settings, 'account.r2.cloudflarestorage.com').value, 'auto');
});

test('reads a profile of the shared files like the AWS CLI; the S3 endpoint takes precedence over the common one', async (t) => {
  const folder = await folderWith(t, { config: CONFIG, credentials: '[keys]\naws_access_key_id = id\n' });
  const files = {
    AWS_CONFIG_FILE: path.join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: path.join(folder, 'credentials'),
  };
  const dev = await readAwsSettings({ ...files, AWS_PROFILE: 'dev' });
  assert.deepEqual([dev.profile, dev.profileFrom, dev.hasProfile], ['dev', 'AWS_PROFILE', true]);
  assert.deepEqual(dev.endpointUrl, { value: 'https://s3.test/storage', from: 'endpoint_url of the profile "dev"' });
  assert.deepEqual(dev.region, { value: 'eu-central-1', from: 'region of the profile "dev"' });
  assert.deepEqual(dev.authorities, { value: '/etc/dev.pem', from: 'ca_bundle of the profile "dev"' });
  assert.deepEqual(dev.addressing, { value: 'virtual', from: 'addressing_style of the profile "dev"' });

  const plain = await readAwsSettings({ ...files, AWS_DEFAULT_PROFILE: 'plain' });
  assert.equal(plain.endpointUrl?.value, 'https://plain.test');
  assert.equal((await readAwsSettings({ ...files, AWS_PROFILE: 'keys' })).hasProfile, true);
  const absent = await readAwsSettings({ ...files, AWS_PROFILE: 'absent' });
  assert.deepEqual([absent.hasProfile, absent.hasCredentials], [false, true]);
  const usual = await readAwsSettings(files);
  assert.deepEqual([usual.profile, usual.profileFrom, usual.region?.value], ['default', null, 'eu-west-1']);
});

test('variables take precedence over the profile, and those of S3 over common ones', async (t) => {
  const folder = await folderWith(t, { config: CONFIG });
  const env = {
    AWS_CONFIG_FILE: path.join(folder, 'config'),
    AWS_PROFILE: 'dev',
    AWS_ENDPOINT_URL: 'https://a.test',
    AWS_DEFAULT_REGION: 'us-west-2',
    AWS_CA_BUNDLE: '/etc/other.pem',
  };
  const settings = await readAwsSettings(env);
  assert.deepEqual(settings.endpointUrl, { value: 'https://a.test', from: 'AWS_ENDPOINT_URL' });
  assert.deepEqual(settings.region, { value: 'us-west-2', from: 'AWS_DEFAULT_REGION' });
  assert.deepEqual(settings.authorities, { value: '/etc/other.pem', from: 'AWS_CA_BUNDLE' });
  const more = await readAwsSettings({ ...env, AWS_ENDPOINT_URL_S3: 'https://b.test', AWS_REGION: 'eu-north-1' });
  assert.deepEqual([more.endpointUrl?.value, more.region?.value], ['https://b.test', 'eu-north-1']);
  const ignoring = await readAwsSettings({ ...env, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' });
  assert.equal(ignoring.endpointUrl, null);
});

test('reads the files in the home directory unless variables name others', async (t) => {
  const folder = await folderWith(t, {});
  assert.equal((await readAwsSettings({ HOME: folder })).files.configFilepath, path.join(folder, '.aws', 'config'));
});

test('derives the address of AWS from the region', () => {
  assert.equal(awsEndpointUrl('eu-west-1'), 'https://s3.eu-west-1.amazonaws.com');
  assert.equal(awsEndpointUrl('cn-north-1'), 'https://s3.cn-north-1.amazonaws.com.cn');
});

test('signs for the region in the name of an AWS host, or for us-east-1; a setting takes precedence', () => {
  for (const [hostname, region] of [
    ['s3.amazonaws.com', 'us-east-1'],
    ['s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['S3.EU-West-1.amazonaws.com', 'eu-west-1'],
    ['s3-eu-west-1.amazonaws.com', 'eu-west-1'],
    ['s3.dualstack.ap-southeast-2.amazonaws.com', 'ap-southeast-2'],
    ['s3-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['s3.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['bucket.vpce-1a2b.s3.us-east-2.vpce.amazonaws.com', 'us-east-2'],
    ['s3-accelerate.amazonaws.com', 'us-east-1'],
    ['s3-external-1.amazonaws.com', 'us-east-1'],
    ['notamazonaws.com', null],
    ['s3.eu-west-1.amazonaws.com.example.test', null],
    ['s3.eu-west-1.example.test', null],
  ]) {
    assert.equal(awsRegionIn(String(hostname)), region, String(hostname));
  }
  const [host, settings] = ['s3.eu-west-1.amazonaws.com', { value: 'us-west-2', from: 'AWS_REGION' }];
  assert.deepEqual(regionOf({ region: null }, host), { value: 'eu-west-1', from: 'the default' });
  assert.deepEqual(regionOf({ region: settings }, host), settings);
});
