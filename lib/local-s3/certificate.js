import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

// Encodes a certificate in DER (RFC 5280, section 4.1). A certificate of fixed form takes only a page of code; a
// package for all of X.509 has twenty dependencies.

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;

/** RFC 5280's tags for the version and extensions of a certificate, and for an IP address in a name. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const IP_ADDRESS = 0x87;

const VERSION_3 = 2;
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('551d11', 'hex');

/** Ample margins: client and endpoint share one clock, and no run takes longer than a day. */
const VALID_BEFORE_MS = 3_600_000;
const VALID_AFTER_MS = 24 * 3_600_000;

/**
 * Creates a self-signed certificate for an endpoint that runs only during a benchmark. A client that trusts the
 * certificate trusts only this endpoint.
 *
 * @param {string} address an IPv4 address
 * @param {number} now epoch ms
 * @returns {{ key: string, cert: string }} private key (ECDSA, P-256) and certificate as PEM
 */
export function selfSignedCertificate(address, now) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OBJECT_IDENTIFIER, ECDSA_WITH_SHA256));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT_IDENTIFIER, COMMON_NAME), der(UTF8_STRING, Buffer.from(address)))),
  );
  const alternativeNames = der(SEQUENCE, der(IP_ADDRESS, Buffer.from(address.split('.').map(Number))));
  const extension = der(
    SEQUENCE,
    der(OBJECT_IDENTIFIER, SUBJECT_ALTERNATIVE_NAME),
    der(OCTET_STRING, alternativeNames),
  );
  const toBeSigned = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.of(VERSION_3))),
    der(INTEGER, serialNumber()),
    algorithm,
    name,
    der(SEQUENCE, utcTime(now - VALID_BEFORE_MS), utcTime(now + VALID_AFTER_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, extension)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = der(SEQUENCE, toBeSigned, algorithm, der(BIT_STRING, Buffer.of(0), signature));
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert: pem(certificate) };
}

/**
 * @param {number} tag
 * @param {readonly Buffer[]} contents
 */
function der(tag, ...contents) {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), derLength(content.length), content]);
}

/** @param {number} length below 65,536 */
function derLength(length) {
  if (length < 0x80) {
    return Buffer.of(length);
  }
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

/** A positive integer of 16 bytes, without a sign bit or a leading zero byte. */
function serialNumber() {
  const serial = randomBytes(16);
  serial[0] = (serial[0] & 0x3f) | 0x40;
  return serial;
}

/** @param {number} epoch ms, before 2050: later dates require another type (RFC 5280) */
function utcTime(epoch) {
  const digits = new Date(epoch).toISOString().replace(/\D/g, '');
  return der(UTC_TIME, Buffer.from(`${digits.slice('20'.length, 'YYYYMMDDhhmmss'.length)}Z`));
}

/** @param {Buffer} certificate */
function pem(certificate) {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
