<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>{{TITLE}} · {{PRODUCT}}</title>
<link rel="stylesheet" href="/assets/site.css">
<script src="/assets/show-password.js" defer></script>
<script src="/assets/copy.js" defer></script>
{{#SCRIPT}}<script src="{{PATH}}" defer></script>
{{/SCRIPT}}{{#REFRESH}}<noscript><meta http-equiv="refresh" content="{{SECONDS}}"></noscript>
{{/REFRESH}}{{>FORM_ANSWER}}</head>
<body class="wide settings">
<header>
<p class="product"><bdi>{{PRODUCT}}</bdi></p>
<nav aria-label="Settings"><ul>
{{#LINK}}<li><a href="{{PATH}}"{{#CURRENT}} aria-current="page"{{/CURRENT}}>{{NAME}}</a></li>
{{/LINK}}</ul></nav>
<form method="post" action="{{@LOGOUT}}">
<input type="hidden" name="csrf" value="{{LOGOUT_TOKEN}}">
<p class="meta"><bdi>{{CONTACT}}</bdi> (<bdi>{{EMAIL}}</bdi>) <button class="link">Log out</button></p>
</form>
</header>
<main>
{{>BODY}}
</main>
<footer><p class="meta"><a href="{{@DEVELOPERS}}">For developers</a></p></footer>
</body>
</html>
