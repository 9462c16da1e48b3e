<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Start · {{PRODUCT}}</title>
<link rel="stylesheet" href="/assets/site.css">
</head>
<body class="wide settings">
<main>
<h1><bdi>{{PRODUCT}}</bdi></h1>
<p>Embed videos in any web page, and decide which applications may use your account.</p>
<ul class="list">
<li><a href="{{@EMBED_CODES}}">Embed codes</a><br><span class="meta">Choose how a video looks, and copy its code</span></li>
{{#LOGGED_IN}}<li><a href="{{@SETTINGS}}">My Settings</a><br><span class="meta">You are logged in as <bdi>{{CONTACT}}</bdi> (<bdi>{{EMAIL}}</bdi>)</span></li>
{{/LOGGED_IN}}{{#LOGGED_OUT}}<li><a href="{{@SETTINGS}}">Log in</a><br><span class="meta">Connected applications, OAuth applications of your accounts, sessions and password</span></li>
{{/LOGGED_OUT}}</ul>
{{#DEMO}}<section aria-labelledby="demo"><h2 id="demo">This is a demonstration</h2>
{{#GALLERY}}<p><a href="{{URL}}">Gallery: every type of embed code, on a page of another site</a></p>
{{/GALLERY}}{{#USERS}}<p>Its data is invented. These users can log in:</p>
<table><thead><tr><th scope="col">Email address</th><th scope="col">Password</th></tr></thead>
<tbody>
{{#USER}}<tr><td><code>{{EMAIL}}</code></td><td><code>{{PASSWORD}}</code></td></tr>
{{/USER}}</tbody></table>
{{/USERS}}</section>
{{/DEMO}}<section aria-labelledby="developers"><h2 id="developers">For developers</h2>
<dl>
<dt>oEmbed</dt>
<dd><code>{{OEMBED}}</code>, where <code>ID</code> is the id of a video</dd>
<dt>Registry entry of the oEmbed provider</dt>
<dd><a href="{{PROVIDERS}}">{{PROVIDERS}}</a></dd>
<dt>OAuth 2 metadata of the authorization server</dt>
<dd><a href="{{METADATA}}">{{METADATA}}</a></dd>
<dt>API, with an access token</dt>
<dd><code>{{API}}</code></dd>
</dl>
<p><a href="{{@DEVELOPERS}}">How to register an application and use the API</a></p></section>
</main>
</body>
</html>
