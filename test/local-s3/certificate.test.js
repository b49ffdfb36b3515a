import assert from 'node:assert/strict';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from '../../lib/local-s3/certificate.js';

const NOW = Date.UTC(2026, 0, 31, 23, 59, 58);

test('a certificate is for its address, and signed with its own key', () => {
  // The integers of a signature vary in length, so a single certificate is not enough.
  for (let round = 0; round < 50; round += 1) {
    const { key, cert } = selfSignedCertificate('127.0.0.1', NOW);
    const certificate = new X509Certificate(cert);
    assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
    assert.equal(certificate.checkIP('127.0.0.2'), undefined);
    assert.equal(certificate.subject, 'CN=127.0.0.1');
    assert.equal(certificate.issuer, 'CN=127.0.0.1');
    assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
    assert.ok(certificate.verify(certificate.publicKey));
    assert.match(certificate.serialNumber, /^[4-7][0-9A-F]{31}$/);
  }
});

test('a certificate is valid from an hour before until a day after its creation', () => {
  const { validFrom, validTo } = new X509Certificate(selfSignedCertificate('127.0.0.1', NOW).cert);
  assert.equal(Date.parse(validFrom), NOW - 3_600_000);
  assert.equal(Date.parse(validTo), NOW + 24 * 3_600_000);
});

test('no two certificates are the same', () => {
  const [one, other] = [0, 1].map(() => selfSignedCertificate('127.0.0.1', NOW));
  assert.notEqual(one.key, other.key);
  assert.notEqual(new X509Certificate(one.cert).serialNumber, new X509Certificate(other.cert).serialNumber);
});
